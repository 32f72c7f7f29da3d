import { eq, sql } from 'drizzle-orm';
import { toRawPage } from '../../base/raw-bodies.ts';
import type { CrawlSpec } from '../../service/kinds/crawl-spec.ts';
import { createShortEnd } from '../../service/kinds/end-states.ts';
import type { prepareCoverage } from '../coverage/coverage.ts';
import { prepareSearchWindows } from '../coverage/search-windows.ts';
import { NO_HOLDS } from '../crawls/cancel-resume.ts';
import type { prepareCrawlTree } from '../crawls/crawl-tree.ts';
import type { prepareJobAccounts } from '../crawls/job-accounts.ts';
import type { prepareLeases } from '../crawls/leases.ts';
import type { prepareOpenCrawls } from '../crawls/open-crawls.ts';
import { ERASE_CRAWL_COLUMNS } from '../erasure/erased-mark.ts';
import { preparePageFilter } from '../erasure/incoming/page.ts';
import { prepareClosedTimelines } from '../evidence/closed-timelines.ts';
import { prepareDeletions } from '../evidence/deletions.ts';
import { prepareEndpointCapabilities } from '../evidence/endpoint-capabilities.ts';
import type { FieldCounter } from '../evidence/field-statistics.ts';
import { prepareFollowDecisions } from '../evidence/follow-decisions.ts';
import { listFlagOf } from '../evidence/list-rechecks.ts';
import { prepareNotFoundEvidence } from '../evidence/not-found-evidence.ts';
import { prepareUnfollows } from '../evidence/unfollows.ts';
import type { prepareSteps } from '../journal/steps.ts';
import { prepareUserIndex } from '../merge/full-text-index.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { collectPageFacts } from '../outbox/page-facts.ts';
import type { ParentCrawl } from '../schema/crawl-row.ts';
import type { CommitResult, OpenedCrawl, PageCommit } from '../schema/messages.ts';
import type { PageRows } from '../schema/rows.ts';
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

  return (submitted: PageCommit): CommitResult => {
    const { crawlId, at } = submitted;
    const crawl = leases.requireLease(submitted);
    const { erasedItems, isWithheld, isOfForgotten, ...filtered } = filterPage(crawl, submitted);
    const page = notFound.admitEnd(filtered.page);
    const listed = listFlagOf(crawl);
    const bodies = page.bodies.map(toRawPage);
    const stored = pages.storePage({ ...page, bodies }, crawl.items, listed);
    const { newItems, changes } = stored;
    const list = unfollows.readList(crawl, page, newItems);
    const { end, rechecks } = timelines.closeEmptyTimeline(crawl, {
      ...page,
      end: list?.shortfall ? createShortEnd(page.end!, list.shortfall) : page.end,
    });
    const checked = { ...page, end };
    const outcome = page.storedBodyIds ? null : steps.recordPage(crawl, checked, { ...stored, isWithheld });
    leases.advanceCheckpoint(page, { newItems, changes, erasedItems });
    coverage.addPage(crawl, page);
    const children = openChildren(crawl, tree.selectNewChildren(crawl, page), at);
    children.push(...openChildren(crawl, [...deletions.suspectDeletions(crawl, page), ...rechecks], at));
    children.push(...openChildren(crawl, deletions.recheckBottom(crawl, checked), at));
    if (page.cursorSupport) capabilities.recordCursorSupport(page.cursorSupport, at);
    if (page.finding) capabilities.recordFinding(page.finding, at);
    if (page.pageSize) capabilities.recordPageSize(page.pageSize, at);
    if (page.searchedWindow) searches.addWindow(page.searchedWindow, crawlId, at);
    const snapshot =
      list && !list.shortfall ? unfollows.endMissingEdges(list, page.storedBodyIds !== undefined) : undefined;
    const decided = decisions.decide(crawl, checked, snapshot);
    const goneTweet = deletions.findGoneTweet(crawl, checked);
    let emptyTimeline: number | undefined;
    const isNewlyGone = goneTweet !== undefined && deletions.confirmDeletion(goneTweet, crawl, checked);
    const next = goneTweet === undefined ? undefined : deletions.recheckNext(crawl, goneTweet, checked);
    if (next) children.push(...openChildren(next.parent, next.specs, at));
    if (end) {
      indexNewUsers();
      endCrawl.run({
        ...end,
        id: crawlId,
        at,
        changes: (snapshot?.endedCount ?? 0) + decided.length + (isNewlyGone ? 1 : 0),
      });
      coverage.closeGap(crawlId, end, at);
      emptyTimeline = timelines.confirmNoTweets(crawl, checked);
      if (isOfForgotten) eraseCrawl.run(crawlId);
      else if (crawl.runId !== null && end.state !== 'failed' && !page.storedBodyIds)
        jobAccounts.bindHandle(crawlId, at);
    }
    if (!page.storedBodyIds) {
      const list = page.progress.targetRestId ?? crawl.target;
      const collect = () =>
        collectPageFacts(page, {
          kind: crawl.kind,
          list,
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
