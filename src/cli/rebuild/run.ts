import { and, desc, isNotNull, isNull } from 'drizzle-orm';
import { groupRejects } from '#analysis/quality/rejected-items.ts';
import { systemClock } from '#base/clock.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { requireStore, readStore } from '#cli/shared/existing-store.ts';
import { trapSignals } from '#cli/shared/signals.ts';
import { createProgressLine } from '#cli/terminal/output.ts';
import {
  formatCount,
  pluralize,
  formatDuration,
  print,
  printJson,
  printMessage,
  renderTable,
  formatDay,
} from '#cli/terminal/print.ts';
import { MissingPagesError, rebuild, reprocessStore } from '#store/rebuild/rebuild.ts';
import { type ReprocessSummary, reprocessPages } from '#store/rebuild/stored-responses.ts';
import { rejects } from '#store/schema/tables.ts';
import { openStore } from '#store/store.ts';

/** Rebuilds a store and prints the result. */
export async function runRebuild(
  options: CommonOptions & { readonly keepRows?: true; readonly rejects?: true },
): Promise<void> {
  if (options.rejects) return await retryRejects(options);
  const { db, json } = options;
  await requireStore(db);
  const startedAt = systemClock.now();
  const elapsed = (): number => systemClock.now() - startedAt;
  using interruption = trapSignals('stopping: the database is unchanged');
  using line = await createProgressLine();
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
      printMessage(
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
  printMessage(renderTable(['crawl', 'kind', 'target', 'pages missing', 'until'], rows));
}

/** Reads the pages of rejected items again, and stores those that can be read now. */
async function retryRejects({ db: path, json }: CommonOptions): Promise<void> {
  using interruption = trapSignals('stopping: items of finished pages are stored');
  await requireStore(path);
  // Opened first to migrate the store after an update.
  await using store = openStore(path);
  const summary = await readStore(path, async (db) => {
    const ids = db
      .selectDistinct({ id: rejects.rawPageId })
      .from(rejects)
      .where(and(isNull(rejects.resolvedAt), isNotNull(rejects.rawPageId)))
      .orderBy(desc(rejects.rawPageId))
      .all()
      .map(({ id }) => id!);
    using line = await createProgressLine();
    return await reprocessPages(db, {
      ids,
      signal: interruption.signal,
      now: systemClock.now,
      store: (page) => store.write.reprocessPage(page),
      onPage: (pages) => line.show(`${formatCount(pages)} of ${pluralize(ids.length, 'page')} read`),
    });
  });
  const remaining = (await readStore(path, groupRejects)).reduce((sum, { items }) => sum + items, 0);
  if (json) return printJson({ ...summary, remaining });
  const left = pluralize(remaining, 'item remains', 'items remain');
  print(`${pluralize(summary.resolved, 'item')} stored from ${pluralize(summary.pages, 'page')}; ${left} rejected`);
}
