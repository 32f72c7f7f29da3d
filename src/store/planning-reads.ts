import { and, isNull } from 'drizzle-orm';
import { getKind } from '#service/kinds/kinds.ts';
import { hasIdentity } from './crawls/crawl-conditions.ts';
import type { QuotaSampleRow } from './schema/commit-messages.ts';
import type { KindStatistics, ListShares, PlanningFacts } from './schema/planning-facts.ts';
import type { StoreQueries, Synchronous } from './schema/query-results.ts';
import { crawls, users } from './schema/tables.ts';
import type { Db } from './sqlite/database.ts';
import { createValuePreparer } from './sqlite/statement.ts';

type AccountReads = Synchronous<Pick<StoreQueries, 'intervals' | 'cursorSupport' | 'userById' | 'userByHandle'>>;

/** The facts that plans and forecasts are made from. */
export interface PlanningQueries extends PlanningFacts {
  /** The mean duration of recent requests in milliseconds. */
  meanRequestMs(): Promise<number | undefined>;
  /** The latest quota samples of a key, by its hash. */
  quotaSamples(keyHash: string): Promise<StoredSample[]>;
}

type StoredSample = Omit<QuotaSampleRow, 'keyHash'>;

export type PlanningReads = Synchronous<PlanningQueries>;

/** Older crawls say little about the current service, and would take long to read. */
const LATEST = 10_000;
const LATEST_REQUESTS = 500;
const LATEST_SAMPLES = 2000;

export function createPlanningReads(db: Db, reads: AccountReads): PlanningReads {
  const { $client } = db;
  const prepareValue = createValuePreparer(db);
  // Without indexes, which SQLite would read as a whole.
  const latest = (table: 'crawls' | 'coverage' | 'requests' | '_quota_samples', rows: number) =>
    `${table} not indexed where ${table}.id > (select coalesce(max(id), 0) - ${rows} from ${table})`;
  const kinds = once(() => {
    const rows = $client
      .prepare<[], KindStatistics & { kind: string }>(
        `select kind,
           sum(case when cursor is null then pages - 1 else pages end) as fullPages,
           sum(case when cursor is null then items - last_page_items else items end) as fullItems,
           sum(finished_at is not null and cursor is null and ending is not null) as ended,
           sum(pages > 1 or cursor is not null) as ledOn,
           sum(finished_at is not null) as crawls,
           sum(case when finished_at is null then 0 else requests end) as requests,
           max(requests) as mostRequests
         from ${latest('crawls', LATEST)} and pages > 0 and (cursor is not null or last_page_items is not null)
         group by kind`,
      )
      .all();
    return new Map(rows.map(({ kind, ...facts }) => [kind, facts]));
  });
  const shares = new Map<string, ListShares | undefined>();
  // By target: crawls of one kind and state are many.
  const ofList =
    'crawls indexed by crawls_target where kind = ? and target in (select value from json_each(?)) and pages > 0';
  const lastStart = prepareValue<[string, string], number>(`select started_at from ${ofList} order by id desc limit 1`);
  const lastWhole = $client.prepare<[string, string], { at: number; items: number }>(
    `select started_at as at, items from ${ofList}
     and state in ('complete', 'capped') and ending in ('served', 'inferred', 'one_page') order by id desc limit 1`,
  );
  const isUnfinished = and(hasIdentity, isNull(crawls.finishedAt));
  const unfinished = db.select().from(crawls).where(isUnfinished).prepare();
  const listed = (owner: string, other: string) =>
    $client
      .prepare<[string, number], string>(
        `select rest_id from (
          select ${other} as other from follows
          where ${owner} = (select id from users where rest_id = ?) and ended_at is null order by id desc limit ?
        ) join users on users.id = other`,
      )
      .pluck();
  const edges = {
    followers: listed('followee_id', 'follower_id'),
    following: listed('follower_id', 'followee_id'),
  };
  const replyCount = prepareValue<[string], number | null>('select reply_count from tweets where rest_id = ?');
  const meanRequestMs = prepareValue<[], number | null>(
    `select avg(duration_ms) from ${latest('requests', LATEST_REQUESTS)} and status = 200`,
  );

  const quotaSamples = $client.prepare<[string], Omit<StoredSample, 'resetAt'> & { resetAt: number | null }>(
    `select sampled_at as at, request_limit as "limit", remaining, reset_at as resetAt
     from ${latest('_quota_samples', LATEST_SAMPLES)} and key_hash = ?`,
  );

  function readShare(kind: string, column: string): ListShares | undefined {
    // Time-ordered lists are read in parts; their coverage has the sum.
    const lists = getKind(kind).isNewestFirst
      ? `select target, sum(items) as items from ${latest('coverage', LATEST)} and kind = ?
         group by target having count(*) = 1 and max(list_end) is not null`
      : `select target_rest_id as target, items from ${latest('crawls', LATEST)} and kind = ?
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
    intervals: reads.intervals,
    cursorSupport: reads.cursorSupport,
    kindStatistics: (kind) => kinds().get(kind),
    listShares(kind, reported) {
      if (!shares.has(kind)) shares.set(kind, readShare(kind, users[reported].name));
      return shares.get(kind);
    },
    account: (by) => ('id' in by ? reads.userById(by.id) : reads.userByHandle(by.handle)),
    latestCrawls(kind, targets) {
      const names = JSON.stringify(targets);
      const at = lastStart.get(kind, names);
      return at === undefined
        ? undefined
        : {
            at,
            whole: lastWhole.get(kind, names),
          };
    },
    unfinishedCrawl: ({ kind, target, options }) =>
      unfinished.get({
        kind,
        target,
        options,
      }),
    listMembers: (side, restId, most) => edges[side].all(restId, most),
    replyCount: (tweet) => replyCount.get(tweet) ?? undefined,
    meanRequestMs: once(() => meanRequestMs.get() ?? undefined),
    quotaSamples: (keyHash) =>
      quotaSamples.all(keyHash).map(({ resetAt, ...sample }) => ({ ...sample, resetAt: resetAt ?? undefined })),
  };
}

/** Reads a value at the first call and keeps it, since a plan applies to one moment. */
function once<T>(read: () => T): () => T {
  let found: { readonly value: T } | undefined;
  return () => (found ??= { value: read() }).value;
}

/** The reads of a store that does not exist yet. */
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
  quotaSamples: () => [],
};
