import { toRawPage } from '#base/raw-bodies.ts';
import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';
import { getKind } from '#service/kinds/kinds.ts';
import { prepareSearchWindows } from '#store/coverage/search-windows.ts';
import type { LeasedCrawl, prepareLeases } from '#store/crawls/leases.ts';
import type { CrawlTree } from '#store/crawls/open-crawls.ts';
import type { Runs } from '#store/crawls/runs.ts';
import { preparePageFilter } from '#store/erasure/incoming/filter-page.ts';
import { prepareDeletions } from '#store/evidence/deletions.ts';
import { prepareEndpointCapabilities } from '#store/evidence/endpoint-capabilities.ts';
import type { FieldCounter } from '#store/evidence/field-statistics.ts';
import { prepareNotFoundEvidence } from '#store/evidence/not-found-evidence.ts';
import type { Steps } from '#store/journal/journal-steps.ts';
import { compileUpsert, takeLatest, takeSum } from '#store/merge/merge-rules.ts';
import { prepareStoreRows, type StoredRows } from '#store/merge/store-rows.ts';
import type { UserCache } from '#store/merge/user-cache.ts';
import type { Outbox } from '#store/outbox/outbox.ts';
import { collectPageFacts } from '#store/outbox/page-facts.ts';
import type { CommitResult, PageCommit, SubmittedPage, RequestEntry } from '#store/schema/commit-messages.ts';
import type { PageRows } from '#store/schema/normalised-rows.ts';
import { drift, droppedFields, rawPages, rejects, requests } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { compileInsert } from '#store/sqlite/statement.ts';
import { type EndStatements, prepareCrawlEnd } from './crawl-end.ts';

/** Returns the commit of a page whose rows the writer may hold already. @throws StoreError, InvariantError */
export type ResolvePage = (page: SubmittedPage) => PageCommit;

/** The statements that a page commit shares with other operations. */
interface SharedStatements extends Omit<EndStatements, 'deletions'> {
  readonly pages: ReturnType<typeof preparePageRows>;
  readonly leases: ReturnType<typeof prepareLeases>;
  readonly runs: Runs;
  readonly steps: Steps;
  readonly tree: CrawlTree;
  readonly fieldCounter: FieldCounter;
  readonly outbox: Outbox;
  readonly resolvePage: ResolvePage;
}

/**
 * Prepares what is stored together with a page, inside the caller's transaction: rows, checkpoint, evidence, children, and
 * the end of the crawl. @throws StaleLeaseError (invariant 3)
 */
export function preparePageCommit(db: Db, shared: SharedStatements) {
  const { pages, coverage, leases, runs, steps, tree, openChildren, fieldCounter, outbox } = shared;
  const deletions = prepareDeletions(db);
  const capabilities = prepareEndpointCapabilities(db);
  const notFound = prepareNotFoundEvidence(db);
  const searches = prepareSearchWindows(db);
  const filterPage = preparePageFilter(db, outbox);
  const crawlEnd = prepareCrawlEnd(db, { ...shared, deletions });

  /** Stores the coverage of a page and its findings. Returns the crawls that re-check tweets which it lacks. */
  function recordFindings(crawl: LeasedCrawl, page: PageCommit): readonly CrawlSpec[] {
    const { at, cursorSupport, finding, pageSize, searchedWindow } = page;
    if (cursorSupport) capabilities.recordCursorSupport(cursorSupport, at);
    if (finding) capabilities.recordFinding(finding, at);
    if (pageSize) capabilities.recordPageSize(pageSize, at);
    if (searchedWindow) searches.addWindow(searchedWindow, crawl.id, at);
    if (!page.coverage) return [];
    coverage.addPage(crawl, page);
    return deletions.suspectDeletions(crawl, page);
  }

  return (submitted: SubmittedPage): CommitResult => {
    const resolved = shared.resolvePage(submitted);
    const { crawlId, at } = resolved;
    const crawl = leases.requireLease(resolved);
    const { page: shown, erasedItems, isWithheld, isOfForgotten } = filterPage(crawl, resolved);
    const uncheckedCount = notFound.readUnchecked(shown);
    const listed = getKind(crawl.kind).listFlag ?? 0;
    const stored = pages.storePage(shown, crawl.items, listed);
    if (crawl.runId !== null) runs.countRequests(crawlId, shown.requests);
    const { changes } = stored;
    const newItems = isOfTarget(crawl, shown) ? stored.newItems : 0;
    const facts = { isOfForgotten, uncheckedCount, newItems };
    const decided = shown.end || isOfForgotten ? crawlEnd.decide(crawl, shown, facts) : undefined;
    const end = decided?.end;
    // Without its end, the response is no page: it is requested again.
    const progress = shown.end && !end ? { ...shown.progress, pages: 0 } : shown.progress;
    const page = { ...shown, end, progress };
    if (end && uncheckedCount !== undefined) notFound.countEnd(page);
    const shownEnd = end === undefined || isOfForgotten || end === shown.end ? undefined : shown.end;
    const outcome = page.storedBodyIds ? null : steps.recordPage(crawl, page, { ...stored, isWithheld, shownEnd });
    leases.advanceCheckpoint(page, { newItems, changes, erasedItems });
    const specs = page.children.length === 0 ? [] : tree.selectNewChildren(crawl, page);
    specs.push(...recordFindings(crawl, page));
    const children = specs.length === 0 ? [] : openChildren(crawl, specs, at);
    const closed = decided && end && crawlEnd.close(crawl, { ...page, end }, decided);
    children.push(...(closed?.children ?? []));
    if (!page.storedBodyIds) {
      const collect = () =>
        collectPageFacts(page, {
          ...closed,
          kind: crawl.kind,
          startedAt: crawl.startedAt,
          list: page.progress.targetRestId ?? crawl.target,
          firstRank: crawl.items,
          listed,
          outcome,
          reread: deletions.findReread(crawl, page),
        });
      outbox.append(crawlId, at, collect);
      if (closed || children.length > 0) {
        const created = children.filter(({ isJoined }) => !isJoined).map(({ id }) => id);
        outbox.recordCrawls([...created, ...(closed?.ended ?? [])], at);
      }
    }
    // Last, since a failed commit must not be counted.
    for (const observation of [...(page.lookups ?? []), page])
      fieldCounter.add(page.endpoints?.[observation.responseIndex ?? 0] ?? '', observation);
    return { newItems, rowCounts: countRows(page.rows), children, end };
  };
}

/** Whether a page shows the target of its crawl: the account that had its handle before comes first on a page of its own. */
const isOfTarget = ({ kind }: LeasedCrawl, { progress, rows }: PageCommit): boolean =>
  progress.pages > 0 || getKind(kind).targetType !== 'account' || rows.users[0]?.restId === progress.targetRestId;

const countRows = ({ users, tweets, follows, rejects }: PageRows): CommitResult['rowCounts'] => ({
  users: users.length,
  tweets: tweets.length,
  rejects: rejects.length,
  follows: follows.reduce((sum, { members }) => sum + members.length, 0),
});

export interface StoredPage extends StoredRows {
  /** The first body and the last request. */
  readonly rawPageId: number | null;
  readonly requestId: number | null;
}

/** Writes the parts of a page, inside the caller's transaction. Prepared once per connection. */
export function preparePageRows(db: Db, userCache: UserCache) {
  const storeRows = prepareStoreRows(db, userCache);
  const insertRaw = compileInsert(db, rawPages);
  const insertRequest = compileInsert(db, requests);
  const insertReject = compileInsert(db, rejects);
  const counted = { lastSeenAt: takeLatest, occurrences: takeSum };
  const upsertDrift = compileUpsert(db, drift, ['endpoint', 'field'], counted);
  const upsertDropped = compileUpsert(db, droppedFields, ['crawlId', 'endpoint', 'field', 'reason'], counted);

  function storeRequests(crawlId: number, entries: readonly RequestEntry[]): number | null {
    let lastId: number | null = null;
    for (const { at: sentAt, ms: durationMs, bytes: responseBytes, ...entry } of entries)
      lastId = insertRequest.run({ ...entry, crawlId, sentAt, durationMs, responseBytes }).lastInsertRowid;
    return lastId;
  }

  return {
    storeRequests,
    storeRows,
    storePage(page: PageCommit, firstRank: number, listed: number): StoredPage {
      const { crawlId, endpoints = [] } = page;
      const requestId = storeRequests(crawlId, page.requests);
      const kept =
        page.storedBodyIds ??
        page.bodies.map(
          (body) => insertRaw.run({ ...('encoding' in body ? body : toRawPage(body)), crawlId }).lastInsertRowid,
        );
      for (const { at, rows, responseIndex = 0 } of [...(page.lookups ?? []), page]) {
        const endpoint = endpoints[responseIndex] ?? '';
        const rawPageId = kept[responseIndex];
        const seen = { firstSeenAt: at, lastSeenAt: at };
        for (const reject of rows.rejects)
          insertReject.run({ ...reject, crawlId, rawPageId, endpoint, rejectedAt: at });
        for (const dropped of rows.dropped ?? [])
          upsertDropped.run({ ...dropped, ...seen, crawlId, endpoint, occurrences: dropped.count });
        for (const fieldDrift of rows.drift) upsertDrift.run({ ...fieldDrift, ...seen, endpoint, occurrences: 1 });
      }
      let changes = 0;
      for (const { rows, at } of page.lookups ?? []) changes += storeRows(rows, at, firstRank).changes;
      const stored = storeRows(page.rows, page.at, firstRank, listed);
      return { newItems: stored.newItems, changes: changes + stored.changes, rawPageId: kept[0] ?? null, requestId };
    },
  };
}
