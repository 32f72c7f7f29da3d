import { and, count, desc, eq, isNull, ne, type SQL, sql } from 'drizzle-orm';
import { type CoverageRow, type GapRow, readGaps, readIntervals } from '../../store/coverage/intervals.ts';
import type { ListSnapshotRow } from '../../store/evidence/list-snapshots.ts';
import type { CrawlRow } from '../../store/schema/crawl-row.ts';
import {
  deletionEvidence,
  listSnapshots,
  crawlTree,
  crawls,
  rejects,
  requests,
  tweets,
} from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { type DroppedFieldGroup, readDroppedFields } from '../quality/dropped-fields.ts';

/** Requests of a crawl with the same outcome. */
export interface RequestGroup {
  readonly endpoint: string;
  /** Null without a response. */
  readonly status: number | null;
  readonly requests: number;
  readonly bytes: number;
  /** The sum of their durations. */
  readonly durationMs: number;
  /** The error of the last of them, if it failed. */
  readonly error: string | null;
}

/** A crawl with its child crawls, requests, coverage and rejects. */
export interface CrawlDetail {
  readonly crawl: CrawlRow;
  /** The number of descendants by state. */
  readonly children: Readonly<Partial<Record<CrawlRow['state'], number>>>;
  readonly requests: readonly RequestGroup[];
  /** The requests of its crawl tree. */
  readonly treeRequests: number;
  /** The coverage of its list, if the list is in order of time. */
  readonly intervals: readonly CoverageRow[];
  readonly gaps: readonly GapRow[];
  /** The evidence of unfollows, if it is a complete list of followers or followed accounts. */
  readonly listSnapshot: ListSnapshotRow | undefined;
  /** Tweets that this crawl was the last to find missing: suspected, confirmed by 404, and seen again since. */
  readonly deletions: { readonly suspected: number; readonly confirmed: number; readonly seenAgain: number };
  readonly rejects: readonly { readonly path: string; readonly reason: string }[];
  /** Unreadable fields of its items. */
  readonly dropped: readonly DroppedFieldGroup[];
}

const FIRST_REJECTS = 3;

/** Returns undefined if there is no such crawl. */
export function readCrawlDetail(db: Db, id: number): CrawlDetail | undefined {
  const crawl = db.select().from(crawls).where(eq(crawls.id, id)).get();
  if (!crawl) return undefined;
  const descendants = readDescendants(db, id);
  const lists = [crawl.targetRestId ?? crawl.target];
  return {
    crawl,
    children: Object.fromEntries(descendants.map(({ state, n }) => [state, n])),
    requests: groupRequests(db, id),
    treeRequests: descendants.reduce((sum, row) => sum + row.requests, crawl.requests),
    intervals: readIntervals(db, lists).filter(({ kind }) => kind === crawl.kind),
    gaps: readGaps(db, lists).filter(({ kind }) => kind === crawl.kind),
    listSnapshot: db.select().from(listSnapshots).where(eq(listSnapshots.crawlId, id)).get(),
    deletions: countDeletions(db, id),
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

function countDeletions(db: Db, id: number): CrawlDetail['deletions'] {
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

/** The number of descendants and their requests, by state. */
const readDescendants = (db: Db, id: number) =>
  db
    .select({ state: crawls.state, n: count(), requests: sql<number>`sum(${crawls.requests})` })
    .from(crawlTree)
    .innerJoin(crawls, eq(crawls.id, crawlTree.descendantId))
    .where(and(eq(crawlTree.rootId, id), ne(crawls.id, id)))
    .groupBy(crawls.state)
    .all();

const groupRequests = (db: Db, id: number): RequestGroup[] =>
  db
    .select({
      endpoint: requests.endpoint,
      status: requests.status,
      requests: count(),
      bytes: sql<number>`sum(${requests.responseBytes})`,
      durationMs: sql<number>`sum(${requests.durationMs})`,
      error: requests.error,
    })
    .from(requests)
    .where(eq(requests.crawlId, id))
    .groupBy(requests.endpoint, requests.status)
    // With a lone max(), SQLite takes the bare columns from the row that has it.
    .having(sql`max(${requests.id}) > 0`)
    .orderBy(desc(count()), requests.endpoint, requests.status)
    .all();
