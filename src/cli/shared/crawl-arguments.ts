import { printMessage } from '#cli/terminal/print.ts';
import { readRequestedCrawls, type RequestedCrawls } from '#library/run/requested-crawls.ts';
import type { Priority } from '#service/quota/priorities.ts';
import type { CrawlCommandOptions } from './crawl-options.ts';
import { openFileTargets } from './file-targets.ts';

/** Reads the crawls of the arguments of `crawl`, `enqueue` or `plan`. Prints a note for each skipped target. */
export async function readCrawlArguments(
  kind: string,
  targets: readonly string[],
  options: CrawlCommandOptions & { readonly priority?: Priority },
): Promise<RequestedCrawls> {
  const { db, fromFile, priority = 'interactive' } = options;
  const fileTargets = await openFileTargets(fromFile);
  return readRequestedCrawls({ kind, targets, priority, db }, { ...options, fileTargets }, (fault) =>
    printMessage(`skipped: ${fault}`),
  );
}
