import {
  answerCrawl,
  describeCrawl,
  describeResumePoint,
  formatCrawlArguments,
} from '#analysis/crawls/describe-crawl.ts';
import { splitIntoBatches } from '#base/batches.ts';
import { systemClock } from '#base/clock.ts';
import { TrawlError, UsageError } from '#base/errors.ts';
import { type CommonOptions, EXIT } from '#cli/shared/common-options.ts';
import { readStore, requireStore } from '#cli/shared/existing-store.ts';
import { openNotifier } from '#cli/shared/notify-workers.ts';
import { findRenamedHandle } from '#cli/targets/renamed-handles.ts';
import { createJsonList } from '#cli/terminal/output.ts';
import { formatCommand, hint, pluralize, print, printJson, printNote } from '#cli/terminal/print.ts';
import { type BudgetOptions, type ResumeResult, resumeStoredCrawls } from '#library/run/begin-run.ts';
import { parseCrawlOptions } from '#service/kinds/crawl-spec.ts';
import type { OpenedCrawl } from '#store/schema/commit-messages.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { Db } from '#store/sqlite/database.ts';
import { openStore, type Store } from '#store/store.ts';

interface ResumeOptions extends CommonOptions, BudgetOptions {
  readonly maxPages?: number;
  readonly reason?: string;
}

/** Opens an existing store and reads the named crawls. @throws TrawlError for an unknown id, before any change. */
async function withCrawls<T>(
  ids: readonly number[],
  db: string,
  fn: (store: Store, named: readonly CrawlRow[]) => Promise<T>,
): Promise<T> {
  await requireStore(db);
  await using store = openStore(db);
  const found = new Map(store.read.crawls(ids).map((crawl) => [crawl.id, crawl]));
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length > 0) throw unknownCrawlError(missing);
  const named = ids.map((id) => found.get(id)!);
  return await fn(store, named);
}

export const unknownCrawlError = (ids: readonly number[]): TrawlError =>
  new TrawlError(`there is no crawl ${ids.join(', ')}`, { hint: `${hint('crawls')} lists the crawls.` });

/** Cancels the named crawls and their unfinished descendants. */
export async function cancelCrawls(ids: readonly number[], options: CommonOptions): Promise<void> {
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
  for (const batch of splitIntoBatches(ids)) list.add(store.read.crawls(batch).map(answerCrawl));
  list.end();
}

/** Queues the named crawls, and those that ended for a reason, again. Returns the exit code. */
export async function resumeCrawls(named: readonly number[] = [], options: ResumeOptions): Promise<number> {
  const { db, reason, json } = options;
  if (named.length === 0 && reason === undefined) throw new UsageError('name crawls by id or by --reason');
  return await withCrawls(named, db, async (store) => {
    const ids = [...new Set([...named, ...(reason === undefined ? [] : store.read.crawlsEndedFor(reason))])];
    if (ids.length === 0 && !json) printNote(`no crawl ended with the reason ${reason}`);
    await using workers = await openNotifier(store, db);
    const { results, openedFor } = await resumeStoredCrawls({ store, notifier: workers }, ids, options);
    const refused = await readStore(db, (read) => results.flatMap((result) => describeRefusal(read, result)));
    if (json) {
      const resumed = store.read.crawls([...openedFor.values()].map(({ id }) => id)).map(answerCrawl);
      printJson({ resumed, refused });
    } else {
      printResults(results, openedFor, new Map(refused.map(({ id, command }) => [id, command])));
    }
    return refused.length > 0 ? EXIT.failed : EXIT.complete;
  });
}

/** Why a crawl cannot be resumed, and the command that crawls it again. */
function describeRefusal(db: Db, result: ResumeResult) {
  if (!('refused' in result)) return [];
  const { crawl, refused: message } = result;
  return [
    {
      id: crawl.id,
      message,
      command: formatCommand(formatCrawlArguments(crawl, findRenamedHandle(db, crawl)?.target)),
    },
  ];
}

function printResults(
  results: readonly ResumeResult[],
  openedFor: ReadonlyMap<number, OpenedCrawl>,
  commands: ReadonlyMap<number, string>,
): void {
  for (const result of results) {
    const { crawl } = result;
    const line = `crawl ${crawl.id}, ${describeCrawl(crawl)}, ${describeResult(result, openedFor)}`;
    if ('refused' in result) printNote(`${line}\n  \`${commands.get(crawl.id)}\` crawls it again.`);
    else print(line);
  }
  const children = openedFor.size - results.filter((result) => 'resumption' in result).length;
  if (children > 0) print(`and ${pluralize(children, 'child crawl')}`);
  if (openedFor.size > 0) printNote(`${hint('work')} runs queued crawls`);
}

function describeResult(result: ResumeResult, openedFor: ReadonlyMap<number, OpenedCrawl>): string {
  if ('unchanged' in result) return result.unchanged;
  if ('refused' in result) return `cannot be resumed: ${result.refused}`;
  const { crawl, resumption } = result;
  const opened = openedFor.get(crawl.id)!;
  if (opened.isJoined) return `is already unfinished as crawl ${opened.id}`;
  const resumePoint = describeResumePoint(crawl);
  const { maxPages } = parseCrawlOptions(resumption);
  if (maxPages !== undefined) return `${resumePoint}, up to page ${maxPages}`;
  return crawl.reason === 'max_pages' ? `${resumePoint}, without its page limit` : resumePoint;
}
