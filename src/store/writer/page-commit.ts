import { eq, sql } from 'drizzle-orm';
import { toRawPage } from '../../base/raw-bodies.ts';
import type { CrawlSpec } from '../../service/kinds/crawl-spec.ts';
import { decideFinalEnd } from '../../service/kinds/end-by-stored-facts.ts';
import type { CrawlEnd } from '../../service/kinds/end-states.ts';
import type { prepareCoverage } from '../coverage/coverage.ts';
import { prepareSearchWindows } from '../coverage/search-windows.ts';
import { NO_HOLDS } from '../crawls/cancel-resume.ts';
import type { prepareCrawlTree } from '../crawls/crawl-tree.ts';
import type { prepareJobAccounts } from '../crawls/job-accounts.ts';
import type { prepareLeases } from '../crawls/leases.ts';
import type { prepareOpenCrawls } from '../crawls/open-crawls.ts';
import { ERASE_CRAWL_COLUMNS } from '../erasure/erased-mark.ts';
import { preparePageFilter } from '../erasure/incoming/filter-page.ts';
import { prepareClosedTimelines } from '../evidence/closed-timelines.ts';
import { prepareDeletions } from '../evidence/deletions.ts';
import { prepareEndpointCapabilities } from '../evidence/endpoint-capabilities.ts';
import type { FieldCounter } from '../evidence/field-statistics.ts';
import { prepareFollowDecisions } from '../evidence/follow-decisions.ts';
import { listFlagOf } from '../evidence/list-rechecks.ts';
import { prepareNotFoundEvidence } from '../evidence/not-found-evidence.ts';
import { prepareUnfollows } from '../evidence/unfollows.ts';
import type { prepareSteps } from '../journal/journal-steps.ts';
import { prepareUserIndex } from '../merge/full-text-index.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { collectPageFacts } from '../outbox/page-facts.ts';
import type { CommitResult, OpenedCrawl, PageCommit } from '../schema/commit-messages.ts';
import type { ParentCrawl } from '../schema/crawl-row.ts';
import type { PageRows } from '../schema/normalised-rows.ts';
import { crawls } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { bound, compileStatement, placeholders } from '../sqlite/statement.ts';
import type { preparePageRows } from './page-rows.ts';

/** The statements that a page commit shares with other operations. */
interface SharedStatements {
  readonly pages: ReturnType<typeof preparePageRows>;
  readonly coverage: ReturnType<typeof prepareCoverage>;
  readonly leases: ReturnType<typeof prepareLeases>;
  readonly steps: ReturnType<typeof prepareSteps>;
  readonly tree: ReturnType<typeof prepareCrawlTree>;
  readonly open: ReturnType<typeof prepareOpenCrawls>['open'];
  readonly jobAccounts: ReturnType<typeof prepareJobAccounts>;
  readonly fieldCounter: FieldCounter;
  readonly outbox: Outbox;
}

/**
 * Prepares what is stored together with a page, inside the caller's transaction: rows, checkpoint, evidence, children, and
 * the end of the crawl. @throws StaleLeaseError (invariant 3)
 */
export function preparePageCommit(db: Db, shared: SharedStatements) {
  const { pages, coverage, leases, steps, tree, open, jobAccounts, fieldCounter, outbox } = shared;
  const unfollows = prepareUnfollows(db);
  const decisions = prepareFollowDecisions(db);
  const timelines = prepareClosedTimelines(db);
  const deletions = prepareDeletions(db);
  const capabilities = prepareEndpointCapabilities(db);
  const notFound = prepareNotFoundEvidence(db);
  const searches = prepareSearchWindows(db);
  const filterPage = preparePageFilter(db, outbox);
  const eraseCrawl = db.$client.prepare(ERASE_CRAWL);
  const indexNewUsers = prepareUserIndex(db);
  const isCrawl = eq(crawls.id, bound.id);
  const endColumns = {
    ...placeholders(crawls, ['state', 'reason', 'ending', 'error']),
    handle: sql`coalesce(${bound.handle}, ${crawls.handle})`,
    ...NO_HOLDS,
    inFlightRequests: 0,
    finishedAt: bound.at,
    changes: sql`${crawls.changes} + ${bound.changes}`,
  };
  const endCrawl = compileStatement(db.update(crawls).set(endColumns).where(isCrawl));

  function openChildren(parent: ParentCrawl, specs: readonly CrawlSpec[], at: number): OpenedCrawl[] {
    const children = specs.map((spec) => open(spec, at, parent));
    tree.addChildren(parent, children);
    return children;
  }

  /** Stores the findings of a page about its endpoint, and the window that it searched. */
  function recordFindings({ crawlId, at, cursorSupport, finding, pageSize, searchedWindow }: PageCommit): void {
    if (cursorSupport) capabilities.recordCursorSupport(cursorSupport, at);
    if (finding) capabilities.recordFinding(finding, at);
    if (pageSize) capabilities.recordPageSize(pageSize, at);
    if (searchedWindow) searches.addWindow(searchedWindow, crawlId, at);
  }

  /** Stores the end of a crawl. Returns the crawl of a closed timeline that has no tweets, as this end shows. */
  function closeCrawl(
    crawl: ParentCrawl,
    page: PageCommit,
    end: CrawlEnd,
    { isOfForgotten, changes }: { readonly isOfForgotten: boolean; readonly changes: number },
  ): number | undefined {
    const { crawlId: id, at } = page;
    indexNewUsers();
    endCrawl.run({ ...end, id, at, changes });
    coverage.closeGap(id, end, at);
    const emptyTimeline = timelines.confirmNoTweets(crawl, page);
    if (isOfForgotten) eraseCrawl.run(id);
    else if (crawl.runId !== null && end.state !== 'failed' && !page.storedBodyIds) jobAccounts.bindHandle(id, at);
    return emptyTimeline;
  }

  return (submitted: PageCommit): CommitResult => {
    const { crawlId, at } = submitted;
    const crawl = leases.requireLease(submitted);
    const { page: shown, erasedItems, isWithheld, isOfForgotten } = filterPage(crawl, submitted);
    const uncheckedCount = notFound.readUnchecked(shown);
    const listed = listFlagOf(crawl);
    const stored = pages.storePage({ ...shown, bodies: shown.bodies.map(toRawPage) }, crawl.items, listed);
    const { newItems, changes } = stored;
    const list = unfollows.readList(crawl, shown, newItems);
    const timeline = timelines.readEmpty(crawl, shown);
    const facts = { isOfForgotten, uncheckedCount, list: list?.facts ?? timeline?.facts };
    const end = decideFinalEnd(crawl.kind, shown.end, facts);
    // Without its end, the response is no page: it is requested again.
    const progress = shown.end && !end ? { ...shown.progress, pages: 0 } : shown.progress;
    const page = { ...shown, end, progress };
    if (end && uncheckedCount !== undefined) notFound.countEnd(page);
    const outcome = page.storedBodyIds ? null : steps.recordPage(crawl, page, { ...stored, isWithheld });
    leases.advanceCheckpoint(page, { newItems, changes, erasedItems });
    coverage.addPage(crawl, page);
    const children = openChildren(crawl, tree.selectNewChildren(crawl, page), at);
    const rechecks = [...deletions.suspectDeletions(crawl, page), ...(timeline?.rechecks ?? [])];
    children.push(...openChildren(crawl, rechecks, at));
    children.push(...openChildren(crawl, deletions.recheckBottom(crawl, page), at));
    recordFindings(page);
    const isEvidence = list && end === shown.end;
    const snapshot = isEvidence ? unfollows.endMissingEdges(list, page.storedBodyIds !== undefined) : undefined;
    const decided = decisions.decide(crawl, page, snapshot);
    const goneTweet = deletions.findGoneTweet(crawl, page);
    const isNewlyGone = goneTweet !== undefined && deletions.confirmDeletion(goneTweet, crawl, page);
    const next = goneTweet === undefined ? undefined : deletions.recheckNext(crawl, goneTweet, page);
    if (next) children.push(...openChildren(next.parent, next.specs, at));
    const ended = (snapshot?.endedCount ?? 0) + decided.length + (isNewlyGone ? 1 : 0);
    const emptyTimeline = end && closeCrawl(crawl, page, end, { isOfForgotten, changes: ended });
    if (!page.storedBodyIds) {
      const collect = () =>
        collectPageFacts(page, {
          kind: crawl.kind,
          list: page.progress.targetRestId ?? crawl.target,
          firstRank: crawl.items,
          listed,
          outcome,
          snapshot,
          decisions: decided,
          reread: deletions.findReread(crawl, page),
          goneTweet,
        });
      outbox.append(crawlId, at, collect);
      const created = children.filter(({ isJoined }) => !isJoined).map(({ id }) => id);
      const changed = emptyTimeline === undefined ? [] : [emptyTimeline];
      outbox.recordCrawls(end ? [...created, ...changed, crawlId] : created, at);
    }
    // Last, since a failed commit must not be counted.
    for (const observation of [...(page.lookups ?? []), page])
      fieldCounter.add(page.endpoints?.[observation.responseIndex ?? 0] ?? '', observation);
    return { newItems, rowCounts: countRows(page.rows), children, end };
  };
}

/** The row of a crawl of a forgotten account names nobody. Requests, runs and parents still refer to it. */
const ERASE_CRAWL = `update crawls set ${ERASE_CRAWL_COLUMNS} where id = ?`;

const countRows = ({ users, tweets, follows, rejects }: PageRows): CommitResult['rowCounts'] => ({
  users: users.length,
  tweets: tweets.length,
  rejects: rejects.length,
  follows: follows.reduce((sum, { members }) => sum + members.length, 0),
});
