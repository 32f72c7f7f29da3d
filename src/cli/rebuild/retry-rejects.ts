import { and, desc, isNotNull, isNull } from 'drizzle-orm';
import { groupRejects } from '../../analysis/quality/rejected-items.ts';
import { systemClock } from '../../base/clock.ts';
import { reprocessPages } from '../../store/rebuild/reprocess-pages.ts';
import { rejects } from '../../store/schema/tables.ts';
import { openStore } from '../../store/store.ts';
import type { CommonOptions } from '../shared/common-options.ts';
import { readStore, requireStore } from '../shared/existing-store.ts';
import { trapSignals } from '../shared/signals.ts';
import { formatCount, pluralize, print, printJson } from '../terminal/print.ts';
import { createProgressLine } from '../terminal/progress.ts';

/** Reads the pages of rejected items again, and stores those that can be read now. */
export async function retryRejects({ db: path, json, quiet }: CommonOptions): Promise<void> {
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
    using line = await createProgressLine({ quiet });
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
