import { and, count, desc, eq, isNull, ne, type SQL, sql } from 'drizzle-orm';
import { type CoverageRow, type GapRow, gapsOf, intervalsOf } from '../../store/coverage/intervals.ts';
import type { CompleteListRow } from '../../store/evidence/list-snapshots.ts';
import type { CrawlRow } from '../../store/schema/messages.ts';
import { absences, completeLists, crawlFamily, crawls, rejects, requests, tweets } from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { type DroppedFieldGroup, readDroppedFields } from '../quality/dropped-fields.ts';

/** Requests of a crawl with the same outcome. */
export interface RequestGroup {
  readonly endpoint: string;
  /** Null where there was no answer. */
  readonly status: number | null;
  readonly requests: number;
  readonly bytes: number;
  /** The time they took, summed. */
  readonly ms: number;
  /** What the last of them said, if it failed. */
  readonly error: string | null;
}

/** What the store knows of one crawl besides its row. */
export interface CrawlDetail {
  readonly crawl: CrawlRow;
  /** How many crawls came of it, however far down, by state. */
  readonly children: Readonly<Partial<Record<CrawlRow['state'], number>>>;
  readonly requests: readonly RequestGroup[];
  /** How many requests it and all that came of it took. */
  readonly treeRequests: number;
  /** What is known complete of its list, and what is not, where the list is in order of time. */
  readonly intervals: readonly CoverageRow[];
  readonly gaps: readonly GapRow[];
  /** What its list proves of edges that it lacks, where it is a complete one of followers or those followed. */
  readonly list: CompleteListRow | undefined;
  /** Tweets that its list lacked, or that it was told are gone, as far as no later crawl has missed them; seen since: back. */
  readonly absent: { readonly suspected: number; readonly gone: number; readonly back: number };
  readonly rejects: readonly { readonly path: string; readonly reason: string }[];
  /** Fields of its items that could not be read. */
  readonly dropped: readonly DroppedFieldGroup[];
}

const FIRST_REJECTS = 3;

/** Undefined when there is no such crawl. */
export function readCrawlDetail(db: Db, id: number): CrawlDetail | undefined {
  const crawl = db.select().from(crawls).where(eq(crawls.id, id)).get();
  if (!crawl) return undefined;
  return {
    crawl,
    children: childrenOf(db, id),
    requests: requestsOf(db, id),
    treeRequests: crawl.requests + requestsOfChildren(db, id),
    intervals: intervalsOf(db, [crawl.targetId ?? crawl.target]).filter(({ kind }) => kind === crawl.kind),
    gaps: gapsOf(db, [crawl.targetId ?? crawl.target]).filter(({ kind }) => kind === crawl.kind),
    list: db.select().from(completeLists).where(eq(completeLists.crawlId, id)).get(),
    absent: absentOf(db, id),
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

function absentOf(db: Db, id: number): CrawlDetail['absent'] {
  const isAbsent = sql`${absences.suspectedAt} > ${tweets.seenAt}`;
  const total = (condition: SQL) => sql<number>`count(*) filter (where ${condition})`;
  return db
    .select({
      suspected: total(sql`${isAbsent} and ${absences.confirmedAt} is null`),
      gone: total(sql`${isAbsent} and ${absences.confirmedAt} is not null`),
      back: total(sql`not ${isAbsent}`),
    })
    .from(absences)
    .innerJoin(tweets, eq(tweets.id, absences.tweetId))
    .where(eq(absences.crawlId, id))
    .get()!;
}

function childrenOf(db: Db, id: number): CrawlDetail['children'] {
  const rows = db
    .select({ state: crawls.state, n: count() })
    .from(crawlFamily)
    .innerJoin(crawls, eq(crawls.id, crawlFamily.crawlId))
    .where(and(eq(crawlFamily.rootId, id), ne(crawls.id, id)))
    .groupBy(crawls.state)
    .all();
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
}

const requestsOfChildren = (db: Db, id: number): number =>
  db
    .select({ n: sql<number>`coalesce(sum(${crawls.requests}), 0)` })
    .from(crawlFamily)
    .innerJoin(crawls, eq(crawls.id, crawlFamily.crawlId))
    .where(and(eq(crawlFamily.rootId, id), ne(crawls.id, id)))
    .get()!.n;

function requestsOf(db: Db, id: number): RequestGroup[] {
  return db
    .select({
      endpoint: requests.endpoint,
      status: requests.status,
      requests: count(),
      bytes: sql<number>`sum(${requests.bytes})`,
      ms: sql<number>`sum(${requests.ms})`,
      error: requests.error,
      // With a lone max(), SQLite takes the bare columns from the row that has it.
      last: sql<number>`max(${requests.id})`,
    })
    .from(requests)
    .where(eq(requests.crawlId, id))
    .groupBy(requests.endpoint, requests.status)
    .orderBy(desc(count()), requests.endpoint, requests.status)
    .all()
    .map(({ endpoint, status, requests: sent, bytes, ms, error }) => ({
      endpoint,
      status,
      requests: sent,
      bytes,
      ms,
      error,
    }));
}
