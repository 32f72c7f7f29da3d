import { systemClock } from '../../clock.ts';
import { isResumedWithTree, decideResume } from '../../engine/resume.ts';
import { TrawlError, UsageError } from '../../errors.ts';
import { parseCrawlOptions } from '../../kinds/crawl-spec.ts';
import { splitIntoBatches } from '../../queue/batches.ts';
import type { CrawlRow } from '../../store/crawls/crawl-row.ts';
import type { OpenedCrawl, Resumption } from '../../store/schema/messages.ts';
import { openStore, type Store } from '../../store/store.ts';
import { beginRun, type BudgetOptions } from '../shared/begin-run.ts';
import { hint } from '../shared/command-hints.ts';
import { EXIT, print, printNote } from '../shared/common-options.ts';
import { readStore, requireStore } from '../shared/existing-store.ts';
import { openWorkerNotifier } from '../shared/notify-workers.ts';
import { toCrawlJson } from '../shared/summary.ts';
import { buildCommand, describeResumePoint, describeCrawl } from '../targets/describe-crawl.ts';
import { type RenamedHandle, findRenamedHandle } from '../targets/renamed-handles.ts';
import { pluralize } from '../terminal/format.ts';
import { createJsonList } from '../terminal/json-list.ts';

export interface CrawlIdsOptions extends BudgetOptions {
  readonly db: string;
  readonly json?: true;
  readonly maxPages?: number;
  readonly reason?: string;
}

/** Opens an existing store and reads the named crawls. @throws TrawlError for an unknown id, before any change. */
async function withCrawls<T>(
  ids: readonly number[],
  db: string,
  fn: (store: Store, named: readonly CrawlRow[]) => Promise<T>,
): Promise<T> {
  requireStore(db);
  await using store = openStore(db);
  const found = new Map(store.read.crawls(ids).map((crawl) => [crawl.id, crawl]));
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length > 0) throw unknownCrawlError(missing);
  return await fn(
    store,
    ids.map((id) => found.get(id)!),
  );
}

export const unknownCrawlError = (ids: readonly number[]): TrawlError =>
  new TrawlError(`there is no crawl ${ids.join(', ')}`, { hint: `${hint('crawls')} lists the crawls.` });

/** Cancels the named crawls and their unfinished descendants. */
export async function cancelCrawls(ids: readonly number[], options: CrawlIdsOptions): Promise<void> {
  await withCrawls(ids, options.db, async (store, named) => {
    const cancelled = await store.write.cancelCrawls(ids, systemClock.now());
    if (options.json) return printCancelled(store, cancelled);
    for (const crawl of named) {
      const became = crawl.finishedAt === null ? 'cancelled' : `had already ended: ${crawl.state}`;
      print(`crawl ${crawl.id}, ${describeCrawl(crawl)}, ${became}`);
    }
    const children = cancelled.filter((id) => !ids.includes(id)).length;
    if (children > 0) print(`and ${pluralize(children, 'child crawl')}`);
    if (cancelled.length === 0) printNote('no unfinished crawl: nothing was cancelled');
    else printNote(`stored rows are kept; ${hint('crawls resume', ids.join(' '))} resumes`);
  });
}

/** Prints in batches: a snowball may have very many crawls. */
function printCancelled(store: Store, ids: readonly number[]): void {
  const list = createJsonList('cancelled');
  for (const batch of splitIntoBatches(ids)) list.add(store.read.crawls(batch).map(toCrawlJson));
  list.end();
}

/** More crawls than this are counted instead of listed. */
const LISTED = 40;

/** The result for a crawl that is to be resumed. */
type ResumeResult = { readonly crawl: CrawlRow } & (
  | { readonly again: Resumption }
  | { readonly refused: string }
  /** Nothing to open: it is unfinished, or only its child crawls are resumed. */
  | { readonly as: string }
);

/** Queues the named crawls, and those that ended for a reason, again. Returns the exit code. */
export async function resumeCrawls(named: readonly number[], options: CrawlIdsOptions): Promise<number> {
  const ids = [...new Set([...named, ...(await endedFor(options))])];
  if (ids.length === 0) {
    if (options.reason === undefined) throw new UsageError('name crawls by id or by --reason');
    if (options.json) print(JSON.stringify({ resumed: [], refused: [] }, null, 2));
    else printNote(`no crawl ended with the reason ${options.reason}`);
    return EXIT.complete;
  }
  return await resumeThese(ids, options);
}

async function endedFor({ reason, db }: CrawlIdsOptions): Promise<number[]> {
  if (reason === undefined) return [];
  return await withCrawls([], db, async (store) => store.read.crawlsEndedFor(reason));
}

async function resumeThese(ids: readonly number[], options: CrawlIdsOptions): Promise<number> {
  return await withCrawls(ids, options.db, async (store, named) => {
    const children = store.read.crawlTree(ids).filter((crawl) => !ids.includes(crawl.id) && isResumedWithTree(crawl));
    const roots = new Set(children.map(({ rootId }) => rootId));
    const outcomes = named.map((crawl) => plan(crawl, roots.has(crawl.id), options.maxPages));
    const family = children.map((crawl) => plan(crawl, false));
    const again = [...outcomes, ...family].flatMap((outcome) => ('again' in outcome ? [outcome.again] : []));
    const runId = await beginRun(store.write, options);
    const opened = await store.write.resumeCrawls(
      again.map((one) => ({ ...one, runId })),
      systemClock.now(),
    );
    await using workers = await openWorkerNotifier(store, options.db);
    await workers.dispatch([...ids, ...opened.map(({ id }) => id)]);
    const standIns = new Map(again.map(({ id }, i) => [id, opened[i]!]));
    const moved = await readStore(
      options.db,
      (db) => new Map(named.map((one) => [one.id, findRenamedHandle(db, one)])),
    );
    report(store, outcomes, { standIns, moved }, options);
    return outcomes.some((outcome) => 'refused' in outcome) ? EXIT.failed : EXIT.complete;
  });
}

function plan(crawl: CrawlRow, hasChildren: boolean, more?: number): ResumeResult {
  if (crawl.finishedAt === null) return { crawl, as: `is unfinished: ${crawl.state}` };
  const found = decideResume(crawl, more);
  if (!('refused' in found)) return { crawl, again: found };
  return hasChildren ? { crawl, as: `is ${crawl.state}; its child crawls are resumed` } : { crawl, ...found };
}

function report(
  store: Store,
  outcomes: readonly ResumeResult[],
  {
    standIns,
    moved,
  }: {
    standIns: ReadonlyMap<number, OpenedCrawl>;
    moved: ReadonlyMap<number, RenamedHandle | undefined>;
  },
  options: CrawlIdsOptions,
): void {
  const again = (crawl: CrawlRow): string => buildCommand(crawl, moved.get(crawl.id));
  if (options.json) {
    const rows = store.read.crawls([...standIns.values()].map(({ id }) => id));
    const refused = outcomes.flatMap((one) =>
      'refused' in one ? [{ id: one.crawl.id, message: one.refused, command: again(one.crawl) }] : [],
    );
    return print(JSON.stringify({ resumed: rows.map(toCrawlJson), refused }, null, 2));
  }
  const isListed = outcomes.length <= LISTED;
  for (const outcome of outcomes) {
    if (!isListed && !('refused' in outcome)) continue;
    const line = `crawl ${outcome.crawl.id}, ${describeCrawl(outcome.crawl)}, ${inWords(outcome, standIns)}`;
    if ('refused' in outcome) printNote(`${line}\n  \`${again(outcome.crawl)}\` crawls it again.`);
    else print(line);
  }
  if (!isListed)
    print(pluralize(outcomes.filter((outcome) => !('refused' in outcome)).length, 'crawl resumed', 'crawls resumed'));
  const children = standIns.size - outcomes.filter((outcome) => 'again' in outcome).length;
  if (children > 0) print(`and ${pluralize(children, 'child crawl')}`);
  if (standIns.size > 0) printNote(`${hint('work')} runs queued crawls`);
}

function inWords(outcome: ResumeResult, standIns: ReadonlyMap<number, OpenedCrawl>): string {
  if ('as' in outcome) return outcome.as;
  if ('refused' in outcome) return `cannot be resumed: ${outcome.refused}`;
  const { crawl, again } = outcome;
  const standIn = standIns.get(crawl.id)!;
  if (standIn.isJoined) return `is already unfinished as crawl ${standIn.id}`;
  const from = describeResumePoint(crawl);
  const { maxPages } = parseCrawlOptions(again);
  if (maxPages !== undefined) return `${from}, up to page ${maxPages}`;
  return crawl.reason === 'max_pages' ? `${from}, without its page limit` : from;
}
