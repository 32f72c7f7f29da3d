import { eq, sql } from 'drizzle-orm';
import { toRawPage } from '../../raw-bodies.ts';
import type { prepareCoverage } from '../coverage/coverage.ts';
import { prepareSearchWindows } from '../coverage/search-windows.ts';
import { NO_HOLDS } from '../crawls/cancel-resume.ts';
import type { prepareCrawlTree } from '../crawls/crawl-tree.ts';
import type { prepareJobAccounts } from '../crawls/job-accounts.ts';
import type { prepareLeases } from '../crawls/leases.ts';
import type { prepareOpenCrawls } from '../crawls/open-crawls.ts';
import { ERASE_CRAWL_COLUMNS } from '../erasure/erased-mark.ts';
import { preparePageFilter } from '../erasure/incoming/page.ts';
import { listFlagOf, prepareDeletions } from '../evidence/deletions.ts';
import { prepareEndpointCapabilities } from '../evidence/endpoint-capabilities.ts';
import type { FieldCounter } from '../evidence/field-statistics.ts';
import { prepareUnfollows } from '../evidence/unfollows.ts';
import type { prepareSteps } from '../journal/steps.ts';
import { prepareUserIndex } from '../merge/full-text-index.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { collectPageFacts } from '../outbox/page-facts.ts';
import type { CommitResult, PageCommit } from '../schema/messages.ts';
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
  const deletions = prepareDeletions(db);
  const capabilities = prepareEndpointCapabilities(db);
  const searches = prepareSearchWindows(db);
  const filterPage = preparePageFilter(db, outbox);
  const eraseCrawl = db.$client.prepare(ERASE_CRAWL);
  const indexNewUsers = prepareUserIndex(db);
  const isCrawl = eq(crawls.id, bound.id);
  const endColumns = {
    ...placeholders(crawls, ['state', 'reason', 'ending', 'error']),
    handle: sql`coalesce(${bound.handle}, ${crawls.handle})`,
    ...{ ...NO_HOLDS, inFlightRequests: 0, finishedAt: bound.at },
    changes: sql`${crawls.changes} + ${bound.changes}`,
  };
  const endCrawl = compileStatement(db.update(crawls).set(endColumns).where(isCrawl));

  return (submitted: PageCommit): CommitResult => {
    const { crawlId, at } = submitted;
    const crawl = leases.requireLease(submitted);
    const { page, erasedItems, isWithheld, isOfForgotten } = filterPage(crawl, submitted);
    const listed = listFlagOf(crawl);
    const bodies = page.bodies.map(toRawPage);
    const stored = pages.storePage({ ...page, bodies }, crawl.items, listed);
    const { newItems, changes } = stored;
    const checked = page.end ? { ...page, end: unfollows.capShortList(crawl, page) } : page;
    const outcome = page.storedBodyIds ? null : steps.recordPage(crawl, checked, { ...stored, isWithheld });
    leases.advanceCheckpoint(page, { newItems, changes, erasedItems });
    coverage.addPage(crawl, page);
    const children = tree.selectNewChildren(crawl, page).map((spec) => open(spec, at, crawl));
    children.push(...deletions.suspectDeletions(crawl, page).map((spec) => open(spec, at, crawl)));
    tree.addChildren(crawl, children);
    if (page.cursorSupport) capabilities.recordCursorSupport(page.cursorSupport, at);
    if (page.pageSize) capabilities.recordPageSize(page.pageSize, at);
    if (page.searchedWindow) searches.addWindow(page.searchedWindow, crawlId, at);
    const { end } = checked;
    const snapshot = end && unfollows.endMissingEdges(crawl, checked, newItems);
    const goneTweet = deletions.findGoneTweet(crawl, checked);
    const isNewlyGone = goneTweet !== undefined && deletions.confirmDeletion(goneTweet, crawl, checked);
    if (end) {
      indexNewUsers();
      endCrawl.run({ ...end, id: crawlId, at, changes: (snapshot?.endedCount ?? 0) + (isNewlyGone ? 1 : 0) });
      coverage.closeGap(crawlId, end, at);
      if (isOfForgotten) eraseCrawl.run(crawlId);
      else if (crawl.runId !== null && end.state !== 'failed' && !page.storedBodyIds)
        jobAccounts.bindHandle(crawlId, at);
    }
    if (!page.storedBodyIds) {
      const list = page.progress.targetRestId ?? crawl.target;
      const collect = () =>
        collectPageFacts(page, {
          ...{ kind: crawl.kind, list, firstRank: crawl.items, listed, outcome },
          ...{ snapshot, reread: deletions.findReread(crawl, page), goneTweet },
        });
      outbox.append(crawlId, at, collect, bodies);
      const created = children.filter(({ isJoined }) => !isJoined).map(({ id }) => id);
      outbox.recordCrawls(end ? [...created, crawlId] : created, at);
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
  ...{ users: users.length, tweets: tweets.length, rejects: rejects.length },
  follows: follows.reduce((sum, { members }) => sum + members.length, 0),
});
