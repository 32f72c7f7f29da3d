import { addToDigest } from '#base/raw-bodies.ts';
import { createListEnd, type CrawlEnd, isSuccessState } from '#service/kinds/decide-end.ts';
import { getKind } from '#service/kinds/kinds.ts';
import { prepareCoverage } from '#store/coverage/coverage.ts';
import { prepareFieldCounter } from '#store/evidence/field-statistics.ts';
import { type StepOutcome, parseStepOutcome, RESPONSE_ROLES, type StepRow } from '#store/journal/journal-steps.ts';
import { createUserCache } from '#store/merge/user-cache.ts';
import { type NormalisedPage, NO_ROWS, countRejects } from '#store/normalise/parse-page.ts';
import type { Observation, PageCommit } from '#store/schema/commit-messages.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { Db } from '#store/sqlite/database.ts';
import { prepareOperations } from '#store/writer/operations.ts';
import { prepareStoredResponses, parseStoredResponse, type StoredResponse } from './stored-responses.ts';

/** Steps per transaction, which are read ahead. */
const BATCH = 128;

type LoadedStep = readonly [step: StepRow, responses: readonly StoredResponse[]];

/**
 * Replays all recorded steps in their order: today's normalisers parse the stored bodies, and the operation that crawls
 * commit with writes the rows (detail level, history, coverage, ended edges). Only what no page contains comes from the
 * record. Returns the number of pages, with which `onProgress` is called after each batch.
 */
export async function replaySteps(
  db: Db,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (pages: number) => void },
): Promise<number> {
  const { $client } = db;
  const userCache = createUserCache(db);
  const fieldCounter = prepareFieldCounter(db);
  const operations = prepareOperations(db, userCache, fieldCounter);
  const coverage = prepareCoverage(db);
  const readResponse = prepareStoredResponses(db);
  const selectSteps = $client.prepare<[number], StepRow>(
    `select id, crawl_id as crawlId, committed_at as committedAt, response_roles as responseRoles,
       first_raw_page_id as firstRawPageId, last_request_id as lastRequestId, outcome
     from main._steps where id > ? order by id limit ${BATCH}`,
  );
  const findCrawl = $client.prepare<[number], Pick<CrawlRow, 'kind' | 'targetRestId' | 'rejectedItems'>>(
    'select kind, target_rest_id as targetRestId, rejected_items as rejectedItems from main.crawls where id = ?',
  );
  const isMissingItems = $client
    .prepare<[number], number>("select checkpoint ->> '$.hasSkippedRejects' from old.crawls where id = ?")
    .pluck();
  const digests = new Map<number, string>();
  const reopen = $client.prepare('update main.crawls set finished_at = null where id = ?');
  // The evidence of a complete list depends on the requests that were recorded at that time.
  const copyRequests = $client.prepare(
    `insert into main.requests select * from old.requests
     where id > coalesce((select max(id) from main.requests), 0) and id <= ?`,
  );

  function replayStep([step, responses]: LoadedStep): void {
    const { crawlId, committedAt: at } = step;
    const outcome = parseStepOutcome(step);
    if (outcome.steered === 'cancelled') return coverage.closeGap(crawlId, { state: 'cancelled' }, at);
    if (outcome.steered === 'resumed') {
      reopen.run(crawlId);
      return coverage.reopenGap(crawlId, at);
    }
    if (step.lastRequestId !== null) copyRequests.run(step.lastRequestId);
    const crawl = findCrawl.get(crawlId)!;
    const page = buildCommit(step, outcome, responses, crawl.targetRestId);
    const isFullyRead = () => crawl.rejectedItems + page.progress.rejectedItems === 0 && !isMissingItems.get(crawlId);
    // A page that was requested once more is no part of its list.
    const listPage = outcome.pages > 0 ? responses[page.responseIndex ?? -1] : undefined;
    const listDigest = getKind(crawl.kind).isCached && updateDigest(crawlId, listPage);
    const end = outcome.end && recomputeEnd(crawl.kind, outcome.end, isFullyRead);
    operations.commitPage({ ...page, end, listDigest });
    // Any other crawl can be resumed in the middle of its list.
    if (end && isSuccessState(end)) digests.delete(crawlId);
  }

  /** Returns the digest of a list up to a page. */
  function updateDigest(crawlId: number, page: StoredResponse | undefined): string | undefined {
    if (!page) return undefined;
    const isFirst = !('cursor' in (JSON.parse(page.parameters) as object));
    const digest = addToDigest(isFirst ? undefined : digests.get(crawlId), page.hash);
    digests.set(crawlId, digest);
    return digest;
  }

  let pages = 0;
  for (let batch = await loadBatch(0); batch.length > 0;) {
    signal.throwIfAborted();
    // Other threads decompress bodies while this one writes.
    const nextBatch = loadBatch(batch.at(-1)![0].id);
    nextBatch.catch(() => undefined);
    $client.transaction(() => {
      batch.forEach(replayStep);
      fieldCounter.flush();
    })();
    pages += batch.reduce((sum, [, responses]) => sum + responses.length, 0);
    onProgress(pages);
    batch = await nextBatch;
  }
  return pages;

  async function loadBatch(after: number): Promise<LoadedStep[]> {
    const load = async (step: StepRow): Promise<LoadedStep> => [
      step,
      (await Promise.all(bodyIdsOf(step).map(readResponse))) as StoredResponse[],
    ];
    return await Promise.all(selectSteps.all(after).map(load));
  }
}

const bodyIdsOf = ({ responseRoles, firstRawPageId }: StepRow): number[] =>
  Array.from(responseRoles, (_, i) => firstRawPageId! + i);

function buildCommit(
  step: StepRow,
  outcome: StepOutcome,
  responses: readonly StoredResponse[],
  knownTargetId: string | null,
): PageCommit {
  const { crawlId, committedAt: at } = step;
  const lookups: Observation[] = [];
  let listPage: NormalisedPage | undefined;
  let responseIndex: number | undefined;
  for (const [i, response] of responses.entries()) {
    const role = step.responseRoles[i];
    if (role === RESPONSE_ROLES.empty) continue;
    const page = parseStoredResponse(response);
    if (role === RESPONSE_ROLES.lookup) lookups.push({ at: response.fetchedAt, rows: page.rows, responseIndex: i });
    else [listPage, responseIndex] = [page, i];
  }
  const { pages, covered, searched, targetId = knownTargetId } = outcome;
  const rows = listPage?.rows ?? NO_ROWS;
  const items = pages > 0 ? (listPage?.itemIds.length ?? 0) : 0;
  return {
    crawlId,
    at,
    rows,
    responseIndex,
    lookups,
    coverage: covered,
    searchedWindow: searched,
    lease: 0,
    requestCursor: null,
    bodies: [],
    requests: [],
    children: [],
    endpoints: responses.map(({ endpoint }) => endpoint),
    storedBodyIds: responses.map(({ id }) => id),
    progress: {
      cursor: null,
      checkpoint: null,
      targetRestId: targetId,
      pages,
      items,
      rejectedItems: countRejects({
        rows,
        lookups,
      }),
    },
  };
}

/**
 * Returns the end state of a crawl. If it was partial only because of rejected items, and all of them are readable now,
 * it gets the state of its end (invariant 5).
 */
function recomputeEnd(kind: string, end: CrawlEnd, isFullyRead: () => boolean): CrawlEnd {
  const { reason, ending } = end;
  // A crawl that stopped at a covered interval may be partial because of another crawl's rejected items.
  if (reason !== 'rejected_items' || ending === undefined || ending.startsWith('joined') || !isFullyRead()) return end;
  return createListEnd(kind, { ending }, 0);
}
