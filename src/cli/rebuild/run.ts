import { systemClock } from '../../base/clock.ts';
import { MissingPagesError, rebuild, reprocessStore } from '../../store/rebuild/rebuild.ts';
import type { ReprocessSummary } from '../../store/rebuild/reprocess-pages.ts';
import type { CommonOptions } from '../shared/common-options.ts';
import { requireStore } from '../shared/existing-store.ts';
import { trapSignals } from '../shared/signals.ts';
import {
  formatCount,
  pluralize,
  formatDuration,
  print,
  printJson,
  printNote,
  renderTable,
  formatDay,
} from '../terminal/print.ts';
import { createProgressLine } from '../terminal/progress.ts';
import { retryRejects } from './retry-rejects.ts';

/** Rebuilds a store and prints the result. */
export async function runRebuild(
  options: CommonOptions & { readonly keepRows?: true; readonly rejects?: true },
): Promise<void> {
  if (options.rejects) return await retryRejects(options);
  const { db, json, quiet } = options;
  await requireStore(db);
  const startedAt = systemClock.now();
  const elapsed = (): number => systemClock.now() - startedAt;
  using interruption = trapSignals('stopping: the database is unchanged');
  using line = await createProgressLine({ quiet });
  const job = {
    path: db,
    signal: interruption.signal,
    onProgress: (pages: number, of: number) => {
      const rate = Math.round((1e3 * pages) / Math.max(1, elapsed()));
      line.show(`${formatCount(pages)} of ${pluralize(of, 'page')} read · ${formatCount(rate)} pages/s`);
    },
  };
  const keepRows = async () => ({ withheld: 0, ...(await reprocessStore(job)) });
  /** Pages that were removed on purpose are no fault: their rows cannot be derived again. */
  async function rebuildOrKeepRows() {
    try {
      return { withheld: 0, pages: await rebuild(job) };
    } catch (error) {
      if (!(error instanceof MissingPagesError && error.areWithheld)) throw error;
      const withheld = error.missing.reduce((sum, each) => sum + each.withheld, 0);
      return { ...(await keepRows()), withheld };
    }
  }
  try {
    const { withheld, ...summary } = options.keepRows ? await keepRows() : await rebuildOrKeepRows();
    line[Symbol.dispose]();
    const durationMs = elapsed();
    if (json) return printJson({ db, ...summary, ...(withheld > 0 ? { withheld } : {}), durationMs });
    if (withheld > 0) {
      printNote(
        `${pluralize(withheld, 'page')} ${withheld === 1 ? 'is' : 'are'} withheld (pruned, or showing forgotten accounts): all rows are kept, and the other pages are read again`,
      );
    }
    print(`${db}: ${describe(summary)}, in ${formatDuration(durationMs)}, without requests`);
  } catch (error) {
    if (error instanceof MissingPagesError) listMissing(error, json);
    throw error;
  }
}

function describe(summary: { pages: number } | ReprocessSummary): string {
  if (!('resolved' in summary)) return `rebuilt all tables from ${pluralize(summary.pages, 'page')}`;
  const { pages, resolved, newItems, unreadable } = summary;
  const not = unreadable > 0 ? `; ${pluralize(unreadable, 'page')} cannot be read` : '';
  return `${pluralize(pages, 'page')} read again; ${pluralize(resolved, 'rejected item')} stored, ${formatCount(newItems)} new${not}`;
}

function listMissing({ missing }: MissingPagesError, json: true | undefined): void {
  if (json) return printJson({ missing });
  const rows = missing.map(({ crawlId, kind, target, pages, until }) => [
    String(crawlId),
    kind,
    target,
    pages,
    formatDay(until),
  ]);
  printNote(renderTable(['crawl', 'kind', 'target', 'pages missing', 'until'], rows));
}
