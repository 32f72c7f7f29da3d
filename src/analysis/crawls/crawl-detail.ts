import { and, count, desc, eq, isNull, ne, type SQL, sql } from 'drizzle-orm';
import { readDroppedFields } from '#analysis/quality/dropped-fields.ts';
import { readGaps, readIntervals } from '#store/coverage/intervals.ts';
import { IS_REPLACED } from '#store/crawls/crawl-conditions.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import {
  deletionEvidence,
  listSnapshots,
  crawlTree,
  crawls,
  crawlSources,
  rejects,
  requests,
  tweets,
} from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { pickColumns } from '#store/sqlite/statement.ts';

export type RequestGroup = ReturnType<typeof groupRequests>[number];
export type CrawlRecord = NonNullable<ReturnType<typeof readCrawlRecord>>;
export type CrawlDetail = NonNullable<ReturnType<typeof readCrawlDetail>>;

const FIRST_REJECTS = 3;

/** Returns a crawl with its child crawls, requests, coverage and rejects; undefined if there is no such crawl. */
export function readCrawlDetail(db: Db, id: number) {
  const record = readCrawlRecord(db, id);
  if (!record) return undefined;
  const { kind, targetRestId, target } = record.crawl;
  const lists = { kinds: [kind], targets: [targetRestId ?? target] };
  return {
    ...record,
    /** The coverage of its list, if the list is in chronological order. */
    intervals: readIntervals(db, lists),
    gaps: readGaps(db, lists),
    /** The evidence of unfollows, if it is a complete list of followers or followed accounts. */
    listSnapshot: db.select().from(listSnapshots).where(eq(listSnapshots.crawlId, id)).get(),
    deletions: countDeletions(db, id),
    /** Whether a later crawl repeats it, or has stored its whole list. */
    isReplaced: db.$client.prepare(`select ${IS_REPLACED} from crawls c where id = ?`).pluck().get(id) === 1,
  };
}

/** Returns a crawl with what was recorded of its work: child crawls, requests and rejects; undefined if there is no such crawl. */
export function readCrawlRecord(db: Db, id: number) {
  const crawl = db.select().from(crawls).where(eq(crawls.id, id)).get();
  if (!crawl) return undefined;
  const descendants = readDescendants(db, id);
  const children: Partial<Record<CrawlRow['state'], number>> = {};
  for (const { state, n } of descendants) children[state] = n;
  return {
    crawl,
    /** What it was crawled with, latest first. */
    sources: db
      .select(pickColumns(crawlSources, ['trawlVersion', 'serviceHost', 'keyLabel', 'firstUsedAt', 'lastUsedAt']))
      .from(crawlSources)
      .where(eq(crawlSources.crawlId, id))
      .orderBy(desc(crawlSources.lastUsedAt), desc(crawlSources.firstUsedAt))
      .all(),
    /** The number of descendants, in total and by state. */
    descendants: descendants.reduce((sum, { n }) => sum + n, 0),
    children,
    requests: groupRequests(db, id),
    /** The pages and requests of its crawl tree. */
    treePages: descendants.reduce((sum, row) => sum + row.pages, crawl.pages),
    treeRequests: descendants.reduce((sum, row) => sum + row.requests, crawl.requests),
    /** Unreadable fields of its items. */
    dropped: readDroppedFields(db, [id]),
    rejects: db
      .select({ path: rejects.path, reason: rejects.reason })
      .from(rejects)
      .where(and(eq(rejects.crawlId, id), isNull(rejects.resolvedAt)))
      .orderBy(rejects.id)
      .limit(FIRST_REJECTS)
      .all(),
  };
}

/** Tweets that this crawl was the last to find missing: suspected, confirmed by 404, and seen again since. */
function countDeletions(db: Db, id: number) {
  const isMissing = sql`${deletionEvidence.suspectedAt} > ${tweets.lastSeenAt}`;
  const total = (condition: SQL) => sql<number>`count(*) filter (where ${condition})`;
  return db
    .select({
      suspected: total(sql`${isMissing} and ${deletionEvidence.confirmedAt} is null`),
      confirmed: total(sql`${isMissing} and ${deletionEvidence.confirmedAt} is not null`),
      seenAgain: total(sql`not ${isMissing}`),
    })
    .from(deletionEvidence)
    .innerJoin(tweets, eq(tweets.id, deletionEvidence.tweetId))
    .where(eq(deletionEvidence.crawlId, id))
    .get()!;
}

/** The number of descendants, their pages and their requests, by state. */
const readDescendants = (db: Db, id: number) =>
  db
    .select({
      state: crawls.state,
      n: count(),
      pages: sql<number>`sum(${crawls.pages})`,
      requests: sql<number>`sum(${crawls.requests})`,
    })
    .from(crawlTree)
    .innerJoin(crawls, eq(crawls.id, crawlTree.descendantId))
    .where(and(eq(crawlTree.rootId, id), ne(crawls.id, id)))
    .groupBy(crawls.state)
    .all();

/** The requests of a crawl by outcome. */
const groupRequests = (db: Db, id: number) =>
  db
    .select({
      endpoint: requests.endpoint,
      /** Null without a response. */
      status: requests.status,
      requests: count(),
      bytes: sql<number>`sum(${requests.responseBytes})`,
      durationMs: sql<number>`sum(${requests.durationMs})`,
      /** The error of the last of them, if it failed. */
      error: requests.error,
    })
    .from(requests)
    .where(eq(requests.crawlId, id))
    .groupBy(requests.endpoint, requests.status)
    // With a lone max(), SQLite takes the bare columns from the row that has it.
    .having(sql`max(${requests.id}) > 0`)
    .orderBy(desc(count()), requests.endpoint, requests.status)
    .all();
