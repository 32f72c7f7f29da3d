import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TrawlError } from '#base/errors.ts';
import { profileInspector, summaryInspector, tweetInspector } from '#service/contract/accepted-resources.ts';
import { readPage } from '#service/contract/wire-page.ts';
import { kindTable, KIND_NAMES } from '#service/kinds/kinds.ts';
import {
  normaliseFollowersPage,
  normaliseProfilePage,
  normaliseSearchPage,
  normalisers,
  normaliseTimelinePage,
} from '#store/normalise/parse-page.ts';
import { followers, reference, timeline } from '../engine/support.ts';

const owner = reference('1', 'nasa');
const target = '1';
const tweets = (entries: unknown[]) => ({
  data: { user: { result: owner }, timeline: { instructions: [{ entries }] } },
});
const tweetEntry = (tweet: unknown) => ({ entryId: 't', sortIndex: '1', content: { tweet } });
const readTimeline = (...items: readonly unknown[]) =>
  normaliseTimelinePage(readPage('user-tweets', tweets(items.map(tweetEntry))), target);

describe('a tweet with its replies', () => {
  const read = (tweet: object, entries: unknown[]) =>
    normalisers['tweet-detail'](
      readPage('tweet-detail', { data: { tweet: { text: '', ...tweet, replies: { entries } } } }),
      '10',
    ).rows;

  it('lists the replies below the tweet, each once and without the tweet', () => {
    const entries = ['11', '12', '11', '10'].map((id) => tweetEntry({ id, text: '' }));
    expect(read({ id: 'x', rest_id: '10' }, [...entries, tweetEntry({ text: 'nobody' })]).tweetLists).toEqual([
      { kind: 'tweet', target: '10', tweets: ['11', '12'] },
    ]);
    expect(read({ id: '10' }, []).tweetLists).toEqual([]);
  });

  it('has no relation of replies if the tweet has no identity', () => {
    const { tweetLists, tweets: stored } = read({ id: null }, [tweetEntry({ id: '11', text: '' })]);
    expect(tweetLists).toEqual([]);
    expect(stored.map(({ restId }) => restId)).toEqual(['11']);
  });

  it('treats an empty identity as absent', () => {
    const answers = { in_reply_to_status_id: '', in_reply_to_user_id: '', in_reply_to_screen_name: '' };
    expect(read({ id: '10', ...answers }, []).tweets[0]).toMatchObject({
      inReplyToStatusRestId: null,
      inReplyToUserRestId: null,
      inReplyToScreenName: null,
    });
  });
});

describe('a page of tweets', () => {
  it('takes its author from the owner, and its entities from the text', () => {
    const tweet = {
      id: '10',
      text: 'Hi @Bob, see #Moon https://example.org/a.',
      created_at: '2025-01-02T03:04:05.678Z',
      favorite_count: 3,
      has_media: true,
      media: [{ type: 'photo', url: 'u', width: 2, height: 1 }],
    };
    const page = readTimeline(tweet);
    expect(page.positions).toEqual([{ id: '10', at: Date.UTC(2025, 0, 2, 3, 4, 5, 678) }]);
    expect(page.rows.tweets).toMatchObject([
      {
        restId: '10',
        authorRestId: '1',
        favoriteCount: 3,
        hasMedia: true,
        hashtags: ['moon'],
        mentions: ['bob'],
        links: ['https://example.org/a'],
        media: [{ type: 'photo', width: 2 }],
      },
    ]);
  });

  it('reads times in other forms, and counts unreadable ones', () => {
    const of = (created_at: unknown) => readTimeline({ id: '10', text: '', created_at }).rows;
    expect(of('Wed Oct 10 20:19:24 +0000 2018')).toMatchObject({
      tweets: [{ createdAt: Date.UTC(2018, 9, 10, 20, 19, 24) }],
      drift: [],
      dropped: undefined,
    });
    expect(of('2018-10-10T20:19:24')).toMatchObject({
      tweets: [{ createdAt: null }],
      rejects: [],
      drift: [
        {
          field: 'tweet.created_at',
          sample: '"2018-10-10T20:19:24"',
        },
      ],
      dropped: [
        {
          field: 'tweet.created_at',
          reason: 'is not a time',
          count: 1,
          sample: '"2018-10-10T20:19:24"',
        },
      ],
    });
  });

  it('stores text that SQLite returns unchanged: no lone surrogate, no NUL', () => {
    expect(readTimeline({ id: '10', text: 'a\uD800b\0c' }).rows.tweets[0]?.text).toBe('a\uFFFDbc');
  });

  it.each([
    [{ text: 'no id' }, '/id', 'has no identity: neither id nor rest_id'],
    [{ id: 1.5, text: '' }, '/id', 'has the wrong type or form: number'],
    [{ id: 2 ** 60, text: '' }, '/id', 'has the wrong type or form: number'],
    [{ id: '1e3 ', text: '' }, '/id', 'has the wrong type or form: string'],
    [{ id: {}, rest_id: true, text: '' }, '/rest_id', 'has the wrong type or form: boolean'],
    [null, '', 'must be an object, is null'],
  ])('rejects %j', (tweet, path, reason) => {
    const page = readTimeline(tweet, { id: '11', text: 'good' });
    expect(page.rows.rejects).toMatchObject([
      { path: `/data/timeline/instructions/0/entries/0/content/tweet${path}`, reason },
    ]);
    expect(page.itemIds).toEqual(['11']);
  });
});

describe('an unreadable field is dropped and its item stored (invariant 6)', () => {
  const tweetOf = (tweet: object) => readTimeline({ id: '10', text: 't', ...tweet });
  const userOf = (...users: readonly object[]) =>
    normaliseFollowersPage(readPage('followers', followers(owner, users, null)), target);

  it.each([
    ['favorite_count', '12'],
    ['favorite_count', 1.5],
    ['favorite_count', 2 ** 60],
    ['has_media', 'yes'],
    ['text', 5],
    ['created_at', 1795269600],
    ['in_reply_to_status_id', { id: 1 }],
    ['in_reply_to_screen_name', ['a']],
    ['media', {}],
    ['media', 'none'],
    ['author', {}],
    ['author', 'somebody'],
    ['author', { id: 1.5, name: 'x' }],
  ])('tweet.%s that is %j', (field, value) => {
    const { rows, itemIds } = tweetOf({ [field]: value });
    expect(itemIds).toEqual(['10']);
    expect(rows.rejects).toEqual([]);
    expect(rows.dropped).toMatchObject([{ field: `tweet.${field}`, count: 1, sample: JSON.stringify(value) }]);
    expect(rows.tweets).toMatchObject([{ restId: '10', authorRestId: '1' }]);
  });

  it.each([
    ['followers_count', '12'],
    ['following_count', 1.5],
    ['verified', 'blue'],
    ['name', null, 0],
    ['description', { text: '' }],
  ])('summary.%s that is %j', (field, value, times = 1) => {
    const { rows } = userOf({ id: '2', [field]: value });
    expect(rows).toMatchObject({ rejects: [], follows: [{ owner: '1', members: ['2'] }] });
    expect(rows.dropped ?? []).toHaveLength(times);
    const column = field.replace(/_(\w)/, (_, letter: string) => letter.toUpperCase());
    expect((rows.users[1] as unknown as Record<string, unknown>)[column] ?? null).toBeNull();
  });

  const OTHER_TYPES = [null, 5, 1.5, 'x', true, {}, [], [{}]];
  it.each([
    { of: tweetInspector, read: (fields: object) => tweetOf(fields) },
    { of: summaryInspector, read: (fields: object) => userOf({ id: '10', ...fields }) },
    {
      of: profileInspector,
      read: (fields: object) => normaliseProfilePage(readPage('user-profile', { data: { id: '10', ...fields } }), '10'),
    },
  ])('no field of a $of.name costs an item, but the identity', ({ of, read }) => {
    for (const field of of.fields.filter((name) => !/^(rest_)?id$/.test(name)))
      for (const value of OTHER_TYPES)
        expect(read({ [field]: value }), field).toMatchObject({ itemIds: ['10'], rows: { rejects: [] } });
  });

  it('counts values by field and reason, and keeps the first as a sample', () => {
    const users = ['12', '13', 1.5].map((followers_count, i) => ({ id: `${i}`, followers_count }));
    expect(userOf(...users).rows.dropped).toEqual([
      {
        field: 'summary.followers_count',
        reason: 'has the wrong type or form: string',
        count: 2,
        sample: '"12"',
      },
      {
        field: 'summary.followers_count',
        reason: 'has the wrong type or form: number',
        count: 1,
        sample: '1.5',
      },
    ]);
  });

  it('drops unreadable fields of media, and unreadable media', () => {
    const { rows } = tweetOf({ media: [{ type: 'photo', url: 5, width: '2' }, 'photo', { url: 'u' }] });
    expect(rows.tweets[0]!.media).toMatchObject([
      { type: 'photo', url: null, width: null },
      { type: null, url: 'u' },
    ]);
    expect(rows.dropped!.map(({ field }) => field)).toEqual(['media.url', 'media.width', 'tweet.media']);
  });

  it.each([
    [{ id: 10 }, '10', []],
    [{ id: 10, rest_id: '11' }, '11', []],
    [{ id: '10', rest_id: 10 }, '10', []],
    [{ id: '10', rest_id: 11 }, '10', ['tweet.rest_id']],
    [{ id: '=', rest_id: 11 }, '11', ['tweet.id']],
    [{ id: null, rest_id: 11 }, '11', []],
    [{ id: '10', rest_id: {} }, '10', ['tweet.rest_id']],
    [{ id: {}, rest_id: '11' }, '11', ['tweet.id']],
    [{ id: 1.5, rest_id: '11' }, '11', ['tweet.id']],
    [{ id: '10', rest_id: null }, '10', []],
    [{ id: Number.MAX_SAFE_INTEGER }, '9007199254740991', []],
  ])('the identity of %j is %s', (ids, id, dropped) => {
    const page = tweetOf(ids);
    expect(page.itemIds).toEqual([id]);
    expect((page.rows.dropped ?? []).map(({ field }) => field)).toEqual(dropped);
  });

  it('a list with an unreadable owner belongs to the requested account', () => {
    for (const user of [{}, 'ada', 5, [], { id: 1.5 }]) {
      const body = followers(owner, [{ id: '2' }], null) as { data: object };
      const { rows } = normaliseFollowersPage(readPage('followers', { data: { ...body.data, user } }), target);
      expect(rows).toMatchObject({ rejects: [], follows: [{ owner: '1', members: ['2'] }] });
      expect(rows.dropped).toMatchObject([{ field: 'page.user', count: 1 }]);
    }
  });

  const valid = { entries: [tweetEntry({ id: '10' })] };
  const readInstructions = (...instructions: readonly unknown[]) =>
    normaliseTimelinePage(
      readPage('user-tweets', { data: { user: { result: owner }, timeline: { instructions } } }),
      target,
    );

  it.each([[null], ['x'], [{ entries: 'x' }], [{ entries: {} }]])(
    'an invalid instruction %j is rejected, and the items of a valid one are stored',
    (instruction) => {
      const expected = { itemIds: ['10'], rows: { rejects: [{}] } };
      expect(readInstructions(instruction, valid)).toMatchObject(expected);
      expect(readInstructions(valid, instruction)).toMatchObject(expected);
    },
  );

  it('a list of nothing but an invalid instruction is an error, unless it is null', () => {
    for (const instruction of ['x', { entries: 'x' }, { entries: {} }])
      expect(() => readInstructions(instruction)).toThrow(TrawlError);
    expect(readInstructions(null, null)).toMatchObject({ rows: { rejects: [{}, {}] } });
  });

  it.each([
    [{ user: { result: owner }, timeline: { instructions: null } }],
    [{ user: { result: owner }, timeline: {} }],
    [{ user: { result: owner }, timeline: null }],
    [{ user: { result: owner } }],
    [{ user: { result: owner }, timeline: { instructions: [{ entries: null, cursor: null }] } }],
  ])('a list that is null or absent beside its owner is empty: %j', (data) => {
    expect(readPage('user-tweets', { data })).toMatchObject({ items: [], cursor: { type: 'end' } });
  });

  it.each([
    [{ hello: 1 }],
    [{ user: {} }],
    [{ user: null, timeline: null }],
    [{ user: { result: owner }, timeline: [] }],
  ])('data without a list and its owner, or with a list of another type, is not the answer: %j', (data) => {
    expect(() => readPage('user-tweets', { data })).toThrow(TrawlError);
  });

  it.each([
    ['followers', { user: owner, followers: { timeline: null } }],
    ['list-latest-tweets', { list: { id: '1', name: 'a' }, tweets: { entries: null } }],
    ['community-tweets', { community: { id: '1', name: 'a' }, tweets: null }],
    ['search', { search_metadata: { query: 'a', count: 0 }, timeline: null }],
  ] as const)('a null list of %s is empty', (endpoint, data) => {
    expect(readPage(endpoint, { data })).toMatchObject({ items: [], cursor: { type: 'end' } });
  });

  it('an instruction whose entries are null is ignored', () => {
    expect(readInstructions({ entries: null }, valid)).toMatchObject({ itemIds: ['10'], rows: { rejects: [] } });
  });

  it('safe integers are read as ids of the answered tweet and user', () => {
    expect(tweetOf({ in_reply_to_status_id: 7, in_reply_to_user_id: 8 }).rows).toMatchObject({
      tweets: [
        {
          inReplyToStatusRestId: '7',
          inReplyToUserRestId: '8',
        },
      ],
      dropped: undefined,
    });
  });

  it('a tweet in detail is stored although its replies are no list, which is rejected', () => {
    for (const replies of [5, 'none', { entries: {} }, []]) {
      const page = readPage('tweet-detail', { data: { tweet: { id: '7', text: '', replies } } });
      expect(normalisers['tweet-detail'](page, '7')).toMatchObject({
        itemIds: ['7'],
        rows: { rejects: [{ path: '/data/tweet/replies' }] },
      });
    }
  });
});

describe('a page of followers', () => {
  it('creates an edge from each item to the owner', () => {
    const { rows } = normaliseFollowersPage(
      readPage('followers', followers(owner, [{ id: '2', rest_id: '2', followers_count: 5 }], null)),
      target,
    );
    expect(rows.follows).toEqual([{ owner: '1', side: 'followers', members: ['2'] }]);
    expect(rows.users).toMatchObject([
      { restId: '1', detailLevel: 'reference' },
      { restId: '2', detailLevel: 'summary', followersCount: 5 },
    ]);
  });

  it('without an owner belongs to the requested account', () => {
    const body = { data: { followers: { timeline: { instructions: [{ entries: [] }] } } } };
    expect(normaliseFollowersPage(readPage('followers', body), target).owner).toEqual({
      restId: '1',
      screenName: null,
    });
  });
});

describe('a tweet in detail', () => {
  it.each([undefined, null, {}, { entries: null }, { entries: [] }])('whose replies are %j has none', (replies) => {
    const page = readPage('tweet-detail', { data: { tweet: { id: '7', text: '', replies } } });
    expect(normalisers['tweet-detail'](page, '7')).toMatchObject({ itemIds: ['7'], rows: { rejects: [] } });
  });
});

describe('the cursor', () => {
  it.each([
    ['as an entry', timeline(owner, ['10'], 'A'), 'user-tweets', 'A'],
    ['as an object', followers(owner, [], 'B'), 'followers', 'B'],
    ['that is empty is none', followers(owner, [], ''), 'followers', null],
    ['may be missing', timeline(owner, ['10'], null), 'user-tweets', null],
    [
      'is none that has no text for its name',
      tweets([{ entryId: { toString: 1 }, content: { value: 'C' } }]),
      'user-tweets',
      null,
    ],
  ] as const)('%s', (_, body, endpoint, next) => expect(readPage(endpoint, body).cursor.value).toBe(next));
});

describe('bad input never crashes the normalisers (invariant 11)', () => {
  const anything = fc.jsonValue({ maxDepth: 4 });
  const hostile = fc.oneof(
    anything,
    fc.record(
      { id: anything, rest_id: anything, text: anything, created_at: anything, author: anything, media: anything },
      { requiredKeys: [] },
    ),
  );

  it('for any item, the page is read, and every item is stored or rejected', () => {
    fc.assert(
      fc.property(fc.array(hostile), (items) => {
        const page = readTimeline(...items);
        const rejected = new Set(page.rows.rejects.map(({ path }) => path.split('/')[6]));
        expect(page.itemIds.length + rejected.size).toBeGreaterThanOrEqual(items.length);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
    );
  });

  it.each(KIND_NAMES)('any response of %s gives rows or a typed error', (name) => {
    const { endpoint } = kindTable[name];
    // Objects whose methods are no functions, as `{"toString":1}`, break whatever takes them for text.
    const odd = fc.oneof(anything, fc.dictionary(fc.constantFrom('toString', 'valueOf', 'toJSON'), anything));
    const entry = fc.record({ entryId: odd, content: fc.oneof(odd, fc.record({ tweet: odd, user: odd, value: odd })) });
    const group = fc.record({ entries: fc.oneof(odd, fc.array(entry)), cursor: odd }, { requiredKeys: ['entries'] });
    const list = fc.oneof(odd, group, fc.record({ instructions: fc.array(group) }));
    const data = fc.record({ owner: odd, list }).map(({ owner: whose, list: timeline }) => ({
      user: whose,
      timeline,
      community: whose,
      list: whose,
      tweets: timeline,
      search_metadata: whose,
      followers: { timeline },
      following: { timeline },
      tweet: {
        id: '1',
        replies: timeline,
      },
    }));
    fc.assert(
      fc.property(fc.oneof(anything, fc.record({ data: fc.oneof(anything, data) })), (body) => {
        expect(attempt(() => normalisers[endpoint](readPage(endpoint, body), target))).toSatisfy(
          (outcome) => outcome instanceof TrawlError || 'rows' in outcome,
        );
      }),
    );
  });
});

/** What the function returns, or throws. */
function attempt<T extends object>(fn: () => T): T | Error {
  try {
    return fn();
  } catch (error) {
    return error as Error;
  }
}

it('a profile distinguishes absent from false', () => {
  const { rows } = normaliseProfilePage(
    readPage('user-profile', { data: { id: '1', canDm: false, isTranslator: null } }),
    target,
  );
  expect(rows.users).toMatchObject([
    { detailLevel: 'profile', canDm: false, isTranslator: null, isBlueVerified: undefined },
  ]);
});

it('a search page has its query and the authors of its tweets', () => {
  const body = {
    data: {
      search_metadata: { query: 'q', count: 1 },
      timeline: {
        instructions: [
          { entries: [tweetEntry({ id: '10', text: '', author: { id: '2', name: 'n', screen_name: 's' } })] },
        ],
      },
    },
  };
  const { rows, owner: about } = normaliseSearchPage(readPage('search', body), 'q');
  expect(about).toBeUndefined();
  expect(rows).toMatchObject({
    tweetLists: [{ kind: 'search', target: 'q' }],
    users: [{ restId: '2', detailLevel: 'reference' }],
    tweets: [{ authorRestId: '2' }],
  });
});
