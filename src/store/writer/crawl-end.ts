import { eq, sql } from 'drizzle-orm';
import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';
import { decideFinalEnd, type CrawlEnd } from '#service/kinds/decide-end.ts';
import type { CoverageWriter } from '#store/coverage/coverage.ts';
import { NO_HOLDS } from '#store/crawls/cancel-resume.ts';
import type { prepareJobAccounts } from '#store/crawls/job-accounts.ts';
import type { LeasedCrawl } from '#store/crawls/leases.ts';
import type { prepareOpenCrawls } from '#store/crawls/open-crawls.ts';
import { ERASE_CRAWL_COLUMNS } from '#store/erasure/erased-mark.ts';
import { prepareClosedTimelines } from '#store/evidence/deleted-tweets.ts';
import type { prepareDeletions } from '#store/evidence/deletions.ts';
import { prepareFollowDecisions } from '#store/evidence/follow-decisions.ts';
import { prepareUnfollows, type ReadList } from '#store/evidence/unfollows.ts';
import { prepareSearchIndex } from '#store/merge/full-text-index.ts';
import type { OpenedCrawl, PageCommit } from '#store/schema/commit-messages.ts';
import { crawls } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { bound, compileStatement, placeholders } from '#store/sqlite/statement.ts';

/** The row of a crawl of a forgotten account names nobody. Requests, runs and parents still refer to it. */
const ERASE_CRAWL = `update crawls set ${ERASE_CRAWL_COLUMNS} where id = ?`;

/** The statements that the end of a crawl shares with other operations. */
export interface EndStatements {
  readonly coverage: CoverageWriter;
  readonly deletions: ReturnType<typeof prepareDeletions>;
  readonly openChildren: ReturnType<typeof prepareOpenCrawls>['openChildren'];
  readonly jobAccounts: ReturnType<typeof prepareJobAccounts>;
}

/** What the store knows of the end that a page shows. */
interface StoredFacts {
  readonly isOfForgotten: boolean;
  /** See `prepareNotFoundEvidence`. */
  readonly uncheckedCount: number | undefined;
  readonly newItems: number;
}

/** The end of a crawl. */
interface DecidedEnd extends Pick<StoredFacts, 'isOfForgotten'> {
  /** Undefined where a control request comes first. */
  readonly end: CrawlEnd | undefined;
  /** The list that the crawl has read, if it proves anything about edges. */
  readonly evidence: ReadList | undefined;
  /** Crawls of stored tweets that an empty timeline does not show. */
  readonly rechecks: readonly CrawlSpec[];
}

/** Prepares the end of a crawl in the transaction of its last page: what it is, and what it proves about stored rows. */
export function prepareCrawlEnd(db: Db, { coverage, deletions, openChildren, jobAccounts }: EndStatements) {
  const unfollows = prepareUnfollows(db);
  const decisions = prepareFollowDecisions(db);
  const timelines = prepareClosedTimelines(db);
  const updateSearchIndex = prepareSearchIndex(db);
  const eraseCrawl = db.$client.prepare(ERASE_CRAWL);
  const endColumns = {
    ...placeholders(crawls, ['state', 'reason', 'ending', 'error']),
    handle: sql`coalesce(${bound.handle}, ${crawls.handle})`,
    ...NO_HOLDS,
    inFlightRequests: 0,
    finishedAt: bound.at,
    changes: sql`${crawls.changes} + ${bound.changes}`,
  };
  const endCrawl = compileStatement(db.update(crawls).set(endColumns).where(eq(crawls.id, bound.id)));

  /** Decides the end of a crawl whose page is stored. */
  function decide(crawl: LeasedCrawl, page: PageCommit, stored: StoredFacts): DecidedEnd {
    const { isOfForgotten, uncheckedCount, newItems } = stored;
    const list = unfollows.readList(crawl, page, newItems);
    const timeline = timelines.readEmpty(crawl, page);
    const facts = { isOfForgotten, uncheckedCount, list: list?.facts ?? timeline?.facts };
    const end = decideFinalEnd(crawl.kind, page.end, facts);
    const evidence = end === page.end ? list : undefined;
    return { end, evidence, isOfForgotten, rechecks: timeline?.rechecks ?? [] };
  }

  /** Stores a decided end and what it proves. Returns its facts, and the crawls that it opened or changed. */
  function close(crawl: LeasedCrawl, page: PageCommit & { readonly end: CrawlEnd }, decided: DecidedEnd) {
    const { id } = crawl;
    const { at, end, storedBodyIds } = page;
    const { evidence, isOfForgotten, rechecks } = decided;
    const children: OpenedCrawl[] = openChildren(crawl, rechecks, at);
    children.push(...openChildren(crawl, deletions.recheckBottom(crawl, page), at));
    const snapshot = evidence && unfollows.endMissingEdges(evidence, storedBodyIds !== undefined);
    const decidedEdges = decisions.decide(crawl, page, snapshot);
    const goneTweet = deletions.findGoneTweet(crawl, page);
    let changes = (snapshot?.endedCount ?? 0) + decidedEdges.length;
    if (goneTweet !== undefined) {
      if (deletions.confirmDeletion(goneTweet, crawl, page)) changes += 1;
      const next = deletions.recheckNext(crawl, goneTweet, page);
      if (next) children.push(...openChildren(next.parent, next.specs, at));
    }
    updateSearchIndex();
    endCrawl.run({ ...end, id, at, changes });
    coverage.closeGap(id, end, at);
    const emptyTimeline = timelines.confirmNoTweets(crawl, page);
    if (isOfForgotten) eraseCrawl.run(id);
    else if (crawl.runId !== null && end.state !== 'failed' && !storedBodyIds) jobAccounts.bindHandle(id, at);
    const ended = emptyTimeline === undefined ? [id] : [emptyTimeline, id];
    return { children, ended, snapshot, decisions: decidedEdges, goneTweet };
  }

  return { decide, close };
}
