import { getKind } from '../kinds/kinds.ts';
import type { NormalisedPage } from '../normalise/pages.ts';
import { prepareCoverage } from '../store/coverage/coverage.ts';
import { isSuccessState, decideEndState } from '../store/evidence/end-states.ts';
import { prepareFieldCounter } from '../store/evidence/field-statistics.ts';
import { addToDigest } from '../store/journal/raw-bodies.ts';
import { type StepOutcome, parseStepOutcome, RESPONSE_ROLES, type StepRow } from '../store/journal/steps.ts';
import { createUserCache } from '../store/merge/user-cache.ts';
import type { CrawlEnd, CrawlRow, Observation, PageCommit } from '../store/schema/messages.ts';
import { NO_ROWS, countRejects } from '../store/schema/rows.ts';
import type { Db } from '../store/sqlite/database.ts';
import { prepareOperations } from '../store/writer/operations.ts';
import { prepareStoredResponses, parseStoredResponse, type StoredResponse } from './stored-responses.ts';

/** So many steps are read ahead, and stored in one transaction. */
const BATCH = 128;

export interface ReplayOptions {
  readonly signal: AbortSignal;
  /** Told of pages done, now and then. */
  readonly onProgress: (pages: number) => void;
}

type Ready = readonly [step: StepRow, answers: readonly StoredResponse[]];

/**
 * Takes every step on record again, in the order of the store, with the bodies that it had: rows by today's normalisers,
 * and all that follows from them (fullness, history, coverage, edges that ended) by the very operation that crawls commit
 * with. Only what no page says comes from the record. Returns how many pages there were.
 */
export async function replaySteps(db: Db, { signal, onProgress }: ReplayOptions): Promise<number> {
  const { $client } = db;
  const memory = createUserCache(db);
  const tally = prepareFieldCounter(db);
  const operations = prepareOperations(db, memory, tally);
  const coverage = prepareCoverage(db);
  const answerOf = prepareStoredResponses(db);
  const list = $client.prepare<[number], StepRow>(
    `select id, crawl_id as crawlId, at, answers, raw_page_id as rawPageId, request_id as requestId, course
     from main.steps where id > ? order by id limit ${BATCH}`,
  );
  const find = $client.prepare<[number], Pick<CrawlRow, 'kind' | 'targetId' | 'rejected'>>(
    'select kind, target_id as targetId, rejected from main.crawls where id = ?',
  );
  const lacksMore = $client
    .prepare<[number], number>("select guard ->> '$.lacks' from old.crawls where id = ?")
    .pluck();
  const digests = new Map<number, string>();
  const reopen = $client.prepare('update main.crawls set finished_at = null where id = ?');
  // What a complete list proves depends on when its crawl's requests were sent: those that were in the account then.
  const sendRequests = $client.prepare(
    `insert into main.requests select * from old.requests
     where id > coalesce((select max(id) from main.requests), 0) and id <= ?`,
  );

  function take([step, answers]: Ready): void {
    const { crawlId, at } = step;
    const course = parseStepOutcome(step);
    if (course.steered === 'cancelled') return coverage.closeGap(crawlId, { state: 'cancelled' }, at);
    if (course.steered === 'resumed') {
      reopen.run(crawlId);
      return coverage.reopenGap(crawlId, at);
    }
    if (step.requestId !== null) sendRequests.run(step.requestId);
    const crawl = find.get(crawlId)!;
    const page = commitOf(step, course, answers, crawl.targetId);
    const isWhole = () => crawl.rejected + countRejects(page) === 0 && !lacksMore.get(crawlId);
    const listDigest = getKind(crawl.kind).isCached && digestOf(crawlId, answers[page.responseIndex ?? -1]);
    const end = course.end && endNow(crawl.kind, course.end, isWhole);
    operations.commitPage({ ...page, end, listDigest });
    // Any other crawl may be resumed in the middle of its list.
    if (end && isSuccessState(end)) digests.delete(crawlId);
  }

  /** The digest of a list up to a page. */
  function digestOf(crawlId: number, page: StoredResponse | undefined): string | undefined {
    if (!page) return undefined;
    const isFirst = !('cursor' in (JSON.parse(page.parameters) as object));
    const digest = addToDigest(isFirst ? undefined : digests.get(crawlId), page.hash);
    digests.set(crawlId, digest);
    return digest;
  }

  let pages = 0;
  for (let ready = await next(0); ready.length > 0;) {
    signal.throwIfAborted();
    // Bodies are unpacked by other threads while this one stores.
    const coming = next(ready.at(-1)![0].id);
    coming.catch(() => undefined);
    $client.transaction(() => {
      ready.forEach(take);
      tally.flush();
    })();
    pages += ready.reduce((sum, [, answers]) => sum + answers.length, 0);
    onProgress(pages);
    ready = await coming;
  }
  return pages;

  async function next(after: number): Promise<Ready[]> {
    return await Promise.all(
      list
        .all(after)
        .map(async (step): Promise<Ready> => [
          step,
          (await Promise.all(keysOf(step).map(answerOf))) as StoredResponse[],
        ]),
    );
  }
}

/** Where the bodies of a step are. */
const keysOf = ({ answers, rawPageId }: StepRow): number[] => Array.from(answers, (_, i) => rawPageId! + i);

function commitOf(
  step: StepRow,
  course: StepOutcome,
  answers: readonly StoredResponse[],
  known: string | null,
): PageCommit {
  const { crawlId, at } = step;
  const beside: Observation[] = [];
  let shown: NormalisedPage | undefined;
  let answer: number | undefined;
  for (const [i, stored] of answers.entries()) {
    const role = step.answers[i];
    if (role === RESPONSE_ROLES.empty) continue;
    const page = parseStoredResponse(stored);
    if (role === RESPONSE_ROLES.lookup) beside.push({ at: stored.fetchedAt, rows: page.rows, responseIndex: i });
    else [shown, answer] = [page, i];
  }
  const { pages, covered, searched, targetId = known } = course;
  return {
    ...{
      crawlId,
      at,
      responseIndex: answer,
      lookups: beside,
      coverage: covered,
      searchedWindow: searched,
      rows: shown?.rows ?? NO_ROWS,
    },
    ...{ lease: 0, requestCursor: null, bodies: [], requests: [], children: [] },
    endpoints: answers.map(({ endpoint }) => endpoint),
    storedBodyIds: answers.map(({ id }) => id),
    checkpoint: { cursor: null, guard: null, targetId, pages, items: pages > 0 ? (shown?.itemIds.length ?? 0) : 0 },
  };
}

/**
 * A crawl that was partial only because items were rejected has the state of its end when all of them can be read by now
 * (invariant 5); so has one that an earlier version called complete.
 */
function endNow(kind: string, end: CrawlEnd, isWhole: () => boolean): CrawlEnd {
  const { state, reason, ending } = end;
  if (state === 'complete') return { ...end, state: decideEndState(kind, ending, reason ?? undefined) };
  // One that joined what is known may be partial for what another crawl rejected there, as one that leapt over it is.
  if (reason !== 'rejected_items' || ending === undefined || ending.startsWith('joined') || !isWhole()) return end;
  return { state: decideEndState(kind, ending), ending };
}
