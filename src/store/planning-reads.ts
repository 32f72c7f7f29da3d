import { and, isNull } from 'drizzle-orm';
import { getKind } from '../kinds/kinds.ts';
import { listSpellings } from '../text.ts';
import { hasIdentity } from './crawls/crawl-identity.ts';
import type { CrawlRow } from './crawls/crawl-row.ts';
import { NO_QUOTA_RECORD, readQuotaRecord, type StoredQuota } from './crawls/quota-record.ts';
import type { CursorSupport } from './schema/messages.ts';
import type { CoveredInterval } from './schema/query-results.ts';
import { crawls } from './schema/tables.ts';
import type { Db } from './sqlite/database.ts';

/** What the store tells of lists that were crawled, so that the next crawls can be planned. All of it is read only. */

/** What crawls of a kind were seen to take. */
export interface KindStatistics {
  /** Pages that led on to another, and the items on them: only those show how many the service puts on one. */
  readonly fullPages: number;
  readonly fullItems: number;
  /** Crawls that came to the end of their list, and those that were led beyond a first page. */
  readonly ended: number;
  readonly ledOn: number;
  /** Of crawls that ended: how many, and their requests. */
  readonly crawls: number;
  readonly requests: number;
  readonly mostRequests: number;
}

/** Of lists that were walked to their end, how much they held of what the profile counts, all in all and one by one. */
export interface ListShares {
  readonly lists: number;
  readonly items: number;
  readonly reported: number;
  readonly least: number;
  readonly most: number;
}

/** What is stored of an account, and since when. */
export interface PlannedAccount {
  readonly restId: string;
  readonly screenName: string | null;
  readonly statusesCount: number | null;
  readonly followersCount: number | null;
  readonly followingCount: number | null;
  readonly createdAt: number | null;
  readonly profileAt: number | null;
  readonly summaryAt: number | null;
}

/** The latest crawl of a list that brought a page, and how many items the latest one found that came to its end. */
export interface LatestCrawls {
  readonly at: number;
  readonly whole: { readonly at: number; readonly items: number } | undefined;
}

/** What is known of lists and their cursors: crawls read it, and so do plans. */
export interface ListReads {
  /** Whether an endpoint follows its cursors, as far as that was seen. */
  cursorSupport(endpoint: string): (CursorSupport & { readonly seenAt: number }) | undefined;
  /** What is known complete of a list, newest first. */
  intervals(kind: string, target: string): CoveredInterval[];
}

export interface PlanningReads extends ListReads {
  kindStatistics(kind: string): KindStatistics | undefined;
  /** How much lists of a kind hold of a count of the profile. */
  listShares(kind: string, reported: ReportedCountColumn): ListShares | undefined;
  account(by: { readonly handle: string } | { readonly id: string }): PlannedAccount | undefined;
  /** The latest walks of a list under any of its names. */
  latestCrawls(kind: string, targets: readonly string[]): LatestCrawls | undefined;
  unfinishedCrawl(crawl: Pick<CrawlRow, 'kind' | 'target' | 'options'>): CrawlRow | undefined;
  /** Ids of accounts that are known to be in a list, the latest ones, at most so many. */
  listMembers(side: 'followers' | 'following', restId: string, most: number): string[];
  replyCount(tweet: string): number | undefined;
  /** The time that requests took of late, in milliseconds each. */
  meanRequestMs(): number | undefined;
  /** What is on record of the quota of a key, by its hash. */
  quota(keyHash: string): StoredQuota;
}

export type ReportedCountColumn = 'statusesCount' | 'followersCount' | 'followingCount';

/** What is older than so many crawls says little of the service as it is now, and would take long to read. */
const LATEST = 10_000;
const LATEST_REQUESTS = 500;

const COLUMNS: Readonly<Record<ReportedCountColumn, string>> = {
  statusesCount: 'statuses_count',
  followersCount: 'followers_count',
  followingCount: 'following_count',
};

const ACCOUNT = `select rest_id as restId, screen_name as screenName, statuses_count as statusesCount,
    followers_count as followersCount, following_count as followingCount, created_at as createdAt,
    profile_at as profileAt, summary_at as summaryAt
  from users left join users_seen on user_id = users.id`;

export function createPlanningReads(db: Db, { intervals, cursorSupport }: ListReads): PlanningReads {
  const { $client } = db;
  const recent = (table: 'crawls' | 'coverage' | 'requests', rows: number) =>
    `${table}.id > (select coalesce(max(id), 0) - ${rows} from ${table})`;
  const kinds = once(() => {
    const rows = $client
      .prepare<[], KindStatistics & { kind: string }>(
        `select kind,
           sum(case when cursor is null then pages - 1 else pages end) as fullPages,
           sum(case when cursor is null then items - last_items else items end) as fullItems,
           sum(finished_at is not null and cursor is null and ending is not null) as ended,
           sum(pages > 1 or cursor is not null) as ledOn,
           sum(finished_at is not null) as crawls,
           sum(case when finished_at is null then 0 else requests end) as requests,
           max(requests) as mostRequests
         from crawls where ${recent('crawls', LATEST)} and pages > 0 and (cursor is not null or last_items is not null)
         group by kind`,
      )
      .all();
    return new Map(rows.map(({ kind, ...facts }) => [kind, facts]));
  });
  const shares = new Map<string, ListShares | undefined>();
  const byId = $client.prepare<[string], PlannedAccount>(`${ACCOUNT} where rest_id = ?`);
  const byHandle = $client.prepare<[string], PlannedAccount>(
    `${ACCOUNT} where screen_name = ? collate nocase order by seen_at desc limit 1`,
  );
  const ofList = 'kind = ? and target in (select value from json_each(?)) and pages > 0';
  const lastWalk = $client
    .prepare<[string, string], number>(`select started_at from crawls where ${ofList} order by id desc limit 1`)
    .pluck();
  const lastWhole = $client.prepare<[string, string], { at: number; items: number }>(
    `select started_at as at, items from crawls
     where ${ofList} and state in ('complete', 'capped') and ending in ('served', 'inferred', 'one_page') order by id desc limit 1`,
  );
  const unfinished = db
    .select()
    .from(crawls)
    .where(and(hasIdentity, isNull(crawls.finishedAt)))
    .prepare();
  const listed = (owner: string, other: string) =>
    $client
      .prepare<[string, number], string>(
        `select rest_id from (
           select ${other} as other from follows
           where ${owner} = (select id from users where rest_id = ?) and ended is null order by id desc limit ?
         ) join users on users.id = other`,
      )
      .pluck();
  const edges = {
    followers: listed('followee_id', 'follower_id'),
    following: listed('follower_id', 'followee_id'),
  };
  const replyCount = $client
    .prepare<[string], number | null>('select reply_count from tweets where rest_id = ?')
    .pluck();

  function readShare(kind: string, column: string): ListShares | undefined {
    // Lists in order of time are read in parts: their coverage has the sum.
    const lists = getKind(kind).isNewestFirst
      ? `select target, sum(items) as items from coverage where ${recent('coverage', LATEST)} and kind = ?
         group by target having count(*) = 1 and max(bottom) is not null`
      : `select target_id as target, items from crawls where ${recent('crawls', LATEST)} and kind = ?
           and state in ('complete', 'capped') and ending in ('served', 'inferred') and items > 0`;
    const found = $client
      .prepare<[string], ListShares>(
        `select count(*) as lists, sum(items) as items, sum(${column}) as reported,
           min(1.0 * items / ${column}) as least, max(1.0 * items / ${column}) as most
         from (${lists}) join users on rest_id = target where ${column} > 0`,
      )
      .get(kind);
    return found && found.lists > 0 ? found : undefined;
  }

  return {
    ...{ intervals, cursorSupport },
    kindStatistics: (kind) => kinds().get(kind),
    listShares(kind, reported) {
      if (!shares.has(kind)) shares.set(kind, readShare(kind, COLUMNS[reported]));
      return shares.get(kind);
    },
    account: (by) =>
      'id' in by
        ? byId.get(by.id)
        : listSpellings(by.handle)
            .map((handle) => byHandle.get(handle))
            .find((account) => account !== undefined),
    latestCrawls(kind, targets) {
      const names = JSON.stringify(targets);
      const at = lastWalk.get(kind, names);
      return at === undefined ? undefined : { at, whole: lastWhole.get(kind, names) };
    },
    unfinishedCrawl: ({ kind, target, options }) => unfinished.get({ kind, target, options }),
    listMembers: (side, restId, most) => edges[side].all(restId, most),
    replyCount: (tweet) => replyCount.get(tweet) ?? undefined,
    meanRequestMs: once(
      () =>
        $client
          .prepare<[], number | null>(
            `select avg(ms) from requests where ${recent('requests', LATEST_REQUESTS)} and status = 200`,
          )
          .pluck()
          .get() ?? undefined,
    ),
    quota: (keyHash) => readQuotaRecord(db, keyHash),
  };
}

/** Looked for when it is asked for first, and then remembered: a plan is of one moment. */
function once<T>(read: () => T): () => T {
  let found: { readonly value: T } | undefined;
  return () => (found ??= { value: read() }).value;
}

/** Of a store that is not there yet. */
export const NO_PLANNING_READS: PlanningReads = {
  kindStatistics: () => undefined,
  listShares: () => undefined,
  account: () => undefined,
  intervals: () => [],
  latestCrawls: () => undefined,
  cursorSupport: () => undefined,
  unfinishedCrawl: () => undefined,
  listMembers: () => [],
  replyCount: () => undefined,
  meanRequestMs: () => undefined,
  quota: () => NO_QUOTA_RECORD,
};
