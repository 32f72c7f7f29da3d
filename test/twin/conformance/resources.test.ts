import { beforeAll, describe, expect, test } from 'vitest';
import { allAt, objectsAt, serveWorld } from './served-world.ts';
import {
  AUTHOR,
  ENDPOINTS,
  type Field,
  GROUP,
  MEDIA,
  NESTED_REPLY,
  SEARCH_METADATA,
  TOKEN_USAGE,
  TWEET,
  USER_PROFILE,
  USER_REFERENCE,
  USER_SUMMARY,
} from './spec.ts';

/** Specification, "Resources and their fields": each row at every endpoint where it holds, and nowhere else. */

const world = serveWorld({ pageSize: { 'user-tweets': 7, followers: 5, following: 5 } });

type Json = Record<string, unknown>;

/** What each endpoint answered: the `data` of many requests. */
const responses: Record<string, readonly Json[]> = {};

beforeAll(async () => {
  const users = world.column('select rest_id from users').map((restId) => ({ restId }));
  const own = (column: string, as: string) => world.column(column).map((value) => ({ [as]: value }));
  const requestsByEndpoint = {
    'token-info': [{}],
    'user-profile': own('select screen_name from users', 'screenName'),
    'user-tweets': users,
    'user-tweets-replies': users,
    followers: users,
    following: users,
    'tweet-detail': own('select rest_id from tweets order by reply_count desc, has_media desc limit 150', 'restId'),
    search: own("select distinct '#' || tag from tweet_hashtags limit 40", 'rawQuery'),
    'community-tweets': own('select rest_id from communities', 'communityId'),
    'list-latest-tweets': own('select rest_id from lists', 'listId'),
  };
  for (const [endpoint, requests] of Object.entries(requestsByEndpoint))
    responses[endpoint] = await world.data(endpoint, requests);
});

/** All objects of an endpoint at a path; there are some, or what is asked of them would hold of nothing. */
function found(endpoint: string, path: string): Json[] {
  const objects =
    path === '' ? [...responses[endpoint]!] : responses[endpoint]!.flatMap((data) => objectsAt(data, path));
  expect(objects.length).toBeGreaterThan(0);
  return objects;
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON types as the specification names them; the first whose name a cell begins with. */
const TYPES: readonly (readonly [string, (value: unknown) => boolean])[] = [
  [
    'string (timestamp)',
    (value) =>
      typeof value === 'string' && TIMESTAMP.test(value) && new Date(Date.parse(value)).toISOString() === value,
  ],
  ['string (URL)', (value) => typeof value === 'string' && (value === '' || URL.canParse(value))],
  ['string', (value) => typeof value === 'string'],
  ['boolean', (value) => typeof value === 'boolean'],
  ['integer', Number.isSafeInteger],
  ['array of', Array.isArray],
  ['object', isObject],
  ['author object', isObject],
];

const holds = (object: Json, { name, type }: Field): boolean =>
  Object.hasOwn(object, name) && TYPES.find(([cell]) => type.startsWith(cell))![1](object[name]);

const named = (rows: readonly Field[]) => rows.map((field) => [field.row, field] as const);

/**
 * Each row of a table holds of all objects that it is for: they have the field, in its type. The others lack it, and
 * nobody has a field that no row names.
 */
function testTable(
  rows: readonly Field[],
  objects: () => readonly Json[],
  isFor: (field: Field, object: Json) => boolean = () => true,
): void {
  test.each(named(rows))('%s', (_, field) => {
    const faulty = objects().filter((object) =>
      isFor(field, object) ? !holds(object, field) : Object.hasOwn(object, field.name),
    );
    expect(faulty).toEqual([]);
  });

  test('no other field', () => {
    const known = new Set(rows.map(({ name }) => name));
    expect(objects().flatMap((object) => Object.keys(object).filter((name) => !known.has(name)))).toEqual([]);
  });
}

/** The objects of the simple tables: all fields, always, and no others. */
const WHOLE: readonly (readonly [string, readonly Field[], readonly (readonly [string, string])[]])[] = [
  ['user profile object', USER_PROFILE, [['user-profile', '']]],
  [
    'user summary object',
    USER_SUMMARY,
    [
      ['followers', 'followers.timeline.instructions[].entries[].content.user'],
      ['following', 'following.timeline.instructions[].entries[].content.user'],
    ],
  ],
  [
    'user reference',
    USER_REFERENCE,
    [
      ['followers', 'user'],
      ['following', 'user'],
      ['user-tweets-replies', 'user'],
      ['user-tweets', 'user.result'],
    ],
  ],
  ['community', GROUP, [['community-tweets', 'community']]],
  ['list', GROUP, [['list-latest-tweets', 'list']]],
  ['search metadata', SEARCH_METADATA, [['search', 'search_metadata']]],
  ['token usage object', TOKEN_USAGE, [['token-info', '']]],
  ['reply tweet nested in replies.entries', NESTED_REPLY, [['tweet-detail', 'tweet.replies.entries[].content.tweet']]],
];

for (const [object, rows, places] of WHOLE) {
  describe(`${object}:`, () => {
    describe.each(places)('%s %s', (endpoint, path) => {
      testTable(rows, () => found(endpoint, path));
    });
  });
}

/** Where each endpoint has its tweet objects. */
const TWEETS_AT = {
  'user-tweets': 'timeline.instructions[].entries[].content.tweet',
  'user-tweets-replies': 'timeline.instructions[].entries[].content.tweet',
  'tweet-detail': 'tweet',
  search: 'timeline.instructions[].entries[].content.tweet',
  'community-tweets': 'tweets.instructions[].entries[].content.tweet',
  'list-latest-tweets': 'tweets.entries[].content.tweet',
} as const;

const names = Object.keys(TWEETS_AT) as (keyof typeof TWEETS_AT)[];
/** The endpoints that a note limits a field to; all when it names none. */
function limitedTo(note: string): readonly string[] {
  const listed = names.filter((name) => new RegExp(String.raw`(?<![\w-])${name}(?![\w-])`).test(note));
  if (listed.length > 0) return listed;
  return note === 'only on reply tweets' ? ['user-tweets-replies'] : names;
}

const answers = new Set<unknown>();
beforeAll(() => {
  for (const id of world.column('select rest_id from tweets where in_reply_to_status_rest_id is not null'))
    answers.add(id);
});

describe('tweet object:', () => {
  describe.each(names)('%s', (endpoint) => {
    const tweets = () => found(endpoint, TWEETS_AT[endpoint]);
    testTable(
      TWEET,
      tweets,
      ({ note }, tweet) =>
        limitedTo(note).includes(endpoint) && (!note.startsWith('only on reply tweets') || answers.has(tweet['id'])),
    );

    describe('media object:', () => {
      const media = () => found(endpoint, `${TWEETS_AT[endpoint]}.media[]`);
      testTable(MEDIA, media, ({ note }) => note === '' || endpoint === 'tweet-detail');

      test('the value `photo` is shown', () => {
        expect(media().map(({ type }) => type)).toContain('photo');
      });
    });
  });
});

describe('author object:', () => {
  const places = [
    ['tweet-detail', 'tweet.author'],
    ['tweet-detail', 'tweet.replies.entries[].content.tweet.author'],
    ['search', `${TWEETS_AT.search}.author`],
    ['community-tweets', `${TWEETS_AT['community-tweets']}.author`],
    ['list-latest-tweets', `${TWEETS_AT['list-latest-tweets']}.author`],
  ] as const;
  describe.each(places)('%s %s', (endpoint, path) => {
    const authors = () => found(endpoint, path);
    testTable(AUTHOR, authors, ({ note }) => note === '' || endpoint === 'tweet-detail');
  });
});

describe('cursor entry (user-tweets pagination):', () => {
  const entries = () => found('user-tweets', 'timeline.instructions[].entries[]');
  const cursors = () => entries().filter(({ entryId }) => String(entryId).startsWith('cursor-'));

  test('the last item of the entries array is a cursor entry', () => {
    const lists = responses['user-tweets']!.flatMap(
      (data) => allAt(data, 'timeline.instructions[].entries') as Json[][],
    );
    const last = lists.map((list) => list.at(-1)!).filter((entry) => cursors().includes(entry));
    expect(last).toHaveLength(cursors().length);
    expect(last.length).toBeGreaterThan(0);
  });

  test('`entryId` (string, starts with `cursor-bottom-`), `sortIndex` (string)', () => {
    for (const { entryId, sortIndex } of cursors()) {
      expect(entryId).toMatch(/^cursor-bottom-./);
      expect(sortIndex).toEqual(expect.any(String));
    }
  });

  test('`content` object with `entryType`, `__typename`, `value` (string, the opaque cursor), `cursorType`', () => {
    for (const { content } of cursors()) {
      expect(content).toEqual({
        entryType: 'TimelineTimelineCursor',
        __typename: 'TimelineTimelineCursor',
        value: expect.stringMatching(/./),
        cursorType: 'Bottom',
      });
    }
  });

  test('no other endpoint has one', () => {
    for (const [endpoint, path] of Object.entries(TWEETS_AT)) {
      if (endpoint === 'user-tweets' || endpoint === 'tweet-detail') continue;
      const ids = found(endpoint, path.replace('.content.tweet', '')).map(({ entryId }) => String(entryId));
      expect(ids.filter((id) => id.startsWith('cursor-'))).toEqual([]);
    }
  });
});

describe('cursor object (followers and following):', () => {
  test.each(['followers', 'following'])(
    '%s, inside an instruction, next to `entries`: `value` (string, opaque) and `cursorType` (string, `Bottom`)',
    (endpoint) => {
      const instructions = found(endpoint, `${endpoint}.timeline.instructions[]`);
      const cursors = instructions.flatMap((instruction) => ('cursor' in instruction ? [instruction['cursor']] : []));
      expect(cursors.length).toBeGreaterThan(0);
      for (const cursor of cursors) expect(cursor).toEqual({ value: expect.stringMatching(/./), cursorType: 'Bottom' });
      for (const instruction of instructions) expect(instruction).toHaveProperty('entries');
    },
  );
});

describe('token usage object:', () => {
  test('account: app_id (string), app_name (string), organization (string)', () => {
    for (const { account } of responses['token-info']!)
      expect(account).toEqual({
        app_id: expect.any(String),
        app_name: expect.any(String),
        organization: expect.any(String),
      });
  });

  test('request_history: endpoint (string, an endpoint name), timestamp (string, timestamp), status (string)', async () => {
    await world.get('followers', { restId: 'nobody' });
    const [usage] = await world.data('token-info', [{}]);
    const history = objectsAt(usage, 'request_history[]');
    const paths = ENDPOINTS.map(([, path]) => path);
    expect(history[0]).toMatchObject({ endpoint: 'followers', status: '404' });
    for (const request of history)
      expect(request).toEqual({
        endpoint: expect.toSatisfy((name: string) => paths.includes(`\`/api/microblog/${name}\``)),
        timestamp: expect.stringMatching(TIMESTAMP),
        status: expect.stringMatching(/^\d{3}$/),
      });
  });
});

test('identifiers are strings, wherever they stand', () => {
  const numbers: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (/^(id|rest_id|app_id|entryId|sortIndex)$|_id$/.test(name) && typeof inner !== 'string')
        numbers.push(`${path}.${name}`);
      visit(inner, `${path}.${name}`);
    }
  };
  visit(responses, '');
  expect(numbers).toEqual([]);
});
