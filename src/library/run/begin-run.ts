import { systemClock } from '#base/clock.ts';
import type { Producer } from '#crawl/queue/producer.ts';
import { isResumedWithTree, decideResume } from '#crawl/slice/resume.ts';
import type { OpenedCrawl, Resumption } from '#store/schema/commit-messages.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { Store } from '#store/store.ts';
import type { Writer } from '#store/writer/writer.ts';

/** The limits that all crawls of a run share. */
export interface BudgetOptions {
  /** The maximum number of accounts that all snowballs of the run discover. */
  readonly maxTargets?: number | undefined;
  readonly maxRequests?: number | undefined;
  readonly maxRequestsPerDay?: number | undefined;
}

/** Creates a run if there is a shared limit. Returns its id; undefined without a limit. */
export async function beginRun(
  write: Writer,
  { maxRequests: perRun, maxRequestsPerDay: perDay, maxTargets }: BudgetOptions,
): Promise<number | undefined> {
  if ((perRun ?? perDay ?? maxTargets) === undefined) return undefined;
  return await write.createRun(systemClock.now(), { perRun, perDay });
}

/** The result for a crawl that is to be resumed. `unchanged` if nothing is opened for it, with the reason. */
export type ResumeResult = { readonly crawl: CrawlRow } & (
  | { readonly resumption: Resumption }
  | { readonly refused: string }
  | { readonly unchanged: string }
);

export interface ResumedCrawls {
  /** A result for each of the crawls, in their order. */
  readonly results: readonly ResumeResult[];
  /** The crawls that were opened again or joined, child crawls included, by the id of the ended one. */
  readonly openedFor: ReadonlyMap<number, OpenedCrawl>;
}

/**
 * Queues ended crawls again, with those of their child crawls that could not finish, and tells workers.
 * @param ids existing crawls
 * @param options a limit of further pages, and a budget
 * @throws UsageError for a limit that a kind does not have
 */
export async function resumeStoredCrawls(
  { store, notifier }: { readonly store: Store; readonly notifier: Pick<Producer, 'dispatch'> },
  ids: readonly number[],
  options: BudgetOptions & { readonly maxPages?: number | undefined } = {},
): Promise<ResumedCrawls> {
  const crawls = new Map(store.read.crawls(ids).map((crawl) => [crawl.id, crawl]));
  const children = store.read.crawlTree(ids).filter((crawl) => !crawls.has(crawl.id) && isResumedWithTree(crawl));
  const roots = new Set(children.map(({ rootId }) => rootId));
  const results = ids.map((id) => planResumption(crawls.get(id)!, roots.has(id), options.maxPages));
  const resumptions = [...results, ...children.map((crawl) => planResumption(crawl, false))].flatMap((result) =>
    'resumption' in result ? [result.resumption] : [],
  );
  const runId = ids.length === 0 ? undefined : await beginRun(store.write, options);
  const opened = await store.write.resumeCrawls(
    resumptions.map((resumption) => ({ ...resumption, runId })),
    systemClock.now(),
  );
  await notifier.dispatch([...ids, ...opened.map(({ id }) => id)]);
  return { results, openedFor: new Map(resumptions.map(({ id }, i) => [id, opened[i]!])) };
}

function planResumption(crawl: CrawlRow, hasChildren: boolean, maxPages?: number): ResumeResult {
  if (crawl.finishedAt === null) return { crawl, unchanged: `is unfinished: ${crawl.state}` };
  const decision = decideResume(crawl, maxPages);
  if (!('refused' in decision)) return { crawl, resumption: decision };
  return hasChildren ? { crawl, unchanged: `is ${crawl.state}; its child crawls are resumed` } : { crawl, ...decision };
}
