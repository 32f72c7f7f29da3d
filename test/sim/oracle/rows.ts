import type { Values } from '../parse-answer.ts';
import type { Served } from '../service.ts';
import { pagesOf } from './endings.ts';
import { type Evidence, describeRequest } from './evidence.ts';
import { TWEET_COLUMNS } from './history.ts';

type Row = Readonly<Record<string, string | number | null>>;

interface ObservedValue {
  readonly value: string | number;
  readonly at: number;
  readonly by: Served;
}

const NAMES = ['screen_name', 'name'];
const SUMMARY = ['description', 'profile_image_url', 'followers_count', 'following_count'];
const PROFILE = [
  'location',
  'url',
  'type',
  'cover_image_url',
  'is_blue_verified',
  'can_dm',
  'has_custom_timelines',
  'is_translator',
  'favourites_count',
  'media_count',
  'statuses_count',
  'created_at',
];

/**
 * Rows match the responses (invariants 6 and 10): each column has the latest value among stored responses of sufficient
 * detail level.
 */
export function checkRows(evidence: Evidence): void {
  checkUsers(evidence);
  checkTweets(evidence);
  checkMembers(evidence);
  checkReplies(evidence);
  checkDropped(evidence);
}

/** Unreadable fields are counted: all of stored pages, and no more than were served. */
function checkDropped({ db, crawls, storedBy, fail }: Evidence): void {
  const counted = db.prepare<[number], number | null>(
    'select sum(occurrences) from _dropped_fields where crawl_id = ?',
  );
  for (const { id } of crawls) {
    const served = storedBy(id).reduce((sum, { parsed }) => sum + (parsed?.dropped ?? 0), 0);
    const stored = counted.pluck().get(id) ?? 0;
    if (stored !== served)
      fail('invariant 11', `crawl ${id} counts ${stored} values that could not be read, of ${served}`);
  }
}

function checkUsers({ db, stored, fail }: Evidence): void {
  const seen = new Map<string, { entry: Served; as: string; values: Values }[]>();
  for (const entry of stored) {
    for (const { id, as, values } of entry.parsed?.users ?? []) push(seen, id, { entry, as, values });
    if (entry.parsed && entry.parameters['restId'] && entry.endpoint.startsWith('follow')) {
      // The owner of a list has a row even if the response does not name it.
      push(seen, entry.parsed.owner!, { entry, as: 'reference', values: {} });
    }
  }
  const rows = db
    .prepare('select u.*, s.last_seen_at from users u left join _user_last_seen s on s.user_id = u.id')
    .all() as Row[];
  compareKeys('users', rows, seen, fail);
  for (const row of rows) {
    const all = seen.get(String(row['rest_id'])) ?? [];
    const who = `user ${row['rest_id']}`;
    const summaries = all.filter(({ as }) => as !== 'reference');
    const profiles = all.filter(({ as }) => as === 'profile');
    for (const column of NAMES) compare(who, column, row, valuesOf(all, column), fail);
    for (const column of SUMMARY) {
      const full = valuesOf(summaries, column);
      // An author's picture only fills an unknown value.
      compare(who, column, row, full.length > 0 ? full : every(valuesOf(all, column)), fail);
    }
    compare(
      who,
      'verified',
      row,
      valuesOf(
        all.filter(({ as }) => as === 'summary'),
        'verified',
      ),
      fail,
    );
    for (const column of PROFILE) compare(who, column, row, valuesOf(profiles, column), fail);
    compareTimes(
      who,
      row,
      all.map(({ entry }) => entry),
      fail,
    );
    const profileAt = profiles.length === 0 ? null : Math.max(...profiles.map(({ entry }) => entry.at));
    if (row['profile_at'] !== profileAt)
      fail('invariant 6', `${who}: profile_at is ${row['profile_at']}, not ${profileAt}`);
  }
}

function checkTweets({ db, stored, fail }: Evidence): void {
  const seen = new Map<string, { entry: Served; values: Values }[]>();
  for (const entry of stored) {
    for (const { id, author, values } of entry.parsed?.tweets ?? []) {
      push(seen, id, { entry, values: author === undefined ? values : { ...values, author } });
    }
  }
  const rows = db
    .prepare('select t.*, u.rest_id as author from tweets t left join users u on u.id = t.author_id')
    .all() as Row[];
  compareKeys('tweets', rows, seen, fail);
  for (const row of rows) {
    const all = seen.get(String(row['rest_id'])) ?? [];
    const which = `tweet ${row['rest_id']}`;
    for (const column of TWEET_COLUMNS) compare(which, column, row, valuesOf(all, column), fail);
    compareTimes(
      which,
      row,
      all.map(({ entry }) => entry),
      fail,
    );
  }
}

const MEMBERS = [
  [
    'community-tweets',
    'communityId',
    'select g.rest_id as g, t.rest_id as t from community_tweets m join communities g on g.id = m.community_id join tweets t on t.id = m.tweet_id',
  ],
  [
    'list-latest-tweets',
    'listId',
    'select g.rest_id as g, t.rest_id as t from list_tweets m join lists g on g.id = m.list_id join tweets t on t.id = m.tweet_id',
  ],
  [
    'search',
    'rawQuery',
    'select g.query as g, t.rest_id as t from search_hits m join searches g on g.id = m.search_id join tweets t on t.id = m.tweet_id',
  ],
] as const;

function checkMembers({ db, stored, fail }: Evidence): void {
  for (const [endpoint, parameter, sql] of MEMBERS) {
    const seen = new Map<string, true>();
    for (const entry of stored) {
      if (entry.endpoint !== endpoint) continue;
      for (const id of entry.parsed?.items ?? []) seen.set(`${entry.parameters[parameter]} ${id}`, true);
    }
    const rows = (db.prepare(sql).all() as { g: string; t: string }[]).map(({ g, t }) => ({ rest_id: `${g} ${t}` }));
    compareKeys(endpoint, rows, seen, fail);
  }
}

/**
 * A reply is known by its position below a tweet or by its fields (spec, "Tweet object"), an original by a list of its
 * author (spec, endpoint rule 2).
 */
function checkReplies(evidence: Evidence): void {
  const { db, stored, fail } = evidence;
  const pairs = new Map<string, Served[]>();
  const isReply = new Map<string, 0 | 1 | null>();
  for (const entry of stored) {
    const { nested, tweets = [], items = [] } = entry.parsed ?? {};
    for (const reply of new Set(nested?.replies)) {
      push(pairs, `${nested!.of} ${reply}`, entry);
      isReply.set(reply, 1);
    }
    for (const { id, values } of tweets) {
      if (ANSWERS.some((column) => values[column] != null)) isReply.set(id, 1);
      else if (isReply.get(id) !== 1)
        isReply.set(id, isOwnList(entry) && items.includes(id) ? 0 : (isReply.get(id) ?? null));
    }
  }
  const rows = db
    .prepare(
      `select t.rest_id || ' ' || r.rest_id as rest_id, n.first_seen_at, n.last_seen_at
       from tweet_replies n join tweets t on t.id = n.tweet_id join tweets r on r.id = n.reply_id`,
    )
    .all() as Row[];
  compareKeys('tweet_replies', rows, pairs, fail);
  for (const row of rows) compareTimes(`reply ${row['rest_id']}`, row, pairs.get(String(row['rest_id'])) ?? [], fail);
  // The page of a control request is of another account than its crawl's: its tweets are stored without their list.
  const pages = evidence.crawls.flatMap((crawl) => pagesOf(evidence, crawl)).filter(isOwnList);
  const listed = new Set(pages.flatMap(({ parsed }) => parsed?.items ?? []));
  for (const [id, shown] of db.prepare('select rest_id, is_reply from v_tweets').raw().all() as [string, unknown][]) {
    const known = isReply.get(id) ?? null;
    const isOfControl = shown === null && known === 0 && !listed.has(id);
    if (shown !== known && !isOfControl)
      fail('invariant 5', `tweet ${id}: is_reply is ${String(shown)}, and what was served says ${known}`);
  }
}

const isOwnList = ({ endpoint }: Served): boolean => endpoint.startsWith('user-tweets');

const ANSWERS = ['in_reply_to_status_rest_id', 'in_reply_to_user_rest_id', 'in_reply_to_screen_name'];

type Fail = Evidence['fail'];

const every = (all: ObservedValue[]): ObservedValue[] => all.map((one) => ({ ...one, at: 0 }));

function valuesOf(all: readonly { entry: Served; values: Values }[], column: string): ObservedValue[] {
  return all.flatMap(({ entry, values }) => {
    const value = values[column];
    return value == null ? [] : [{ value, at: entry.at, by: entry }];
  });
}

/** The latest value; any of several at the same time. */
function compare(which: string, column: string, row: Row, all: readonly ObservedValue[], fail: Fail): void {
  const last = Math.max(...all.map(({ at }) => at));
  const latest = all.filter(({ at }) => at === last);
  const value = row[column] ?? null;
  if (latest.length === 0 ? value === null : latest.some((one) => one.value === value)) return;
  const [one] = latest;
  fail(
    'invariant 6',
    `${which}: ${column} is ${JSON.stringify(value)}, and was last observed as ${one ? `${JSON.stringify(one.value)} by ${describeRequest(one.by)}` : 'nothing'}`,
  );
}

function compareTimes(which: string, row: Row, entries: readonly Served[], fail: Fail): void {
  const times = entries.map(({ at }) => at);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  if (row['first_seen_at'] !== first)
    fail('invariant 6', `${which} was first seen at ${row['first_seen_at']}, not ${first}`);
  if (row['last_seen_at'] !== last)
    fail('invariant 6', `${which} was last seen at ${row['last_seen_at']}, not ${last}`);
}

function compareKeys(table: string, rows: readonly Row[], seen: ReadonlyMap<string, unknown>, fail: Fail): void {
  const stored = new Set(rows.map((row) => String(row['rest_id'])));
  if (stored.size !== rows.length) fail('invariant 1', `${table} has a row twice`);
  for (const id of seen.keys()) if (!stored.has(id)) fail('invariant 1', `${table} lacks ${id}, which was served`);
  for (const id of stored) if (!seen.has(id)) fail('invariant 6', `${table} has ${id}, which was never served`);
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
