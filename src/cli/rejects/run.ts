import { and, desc, isNotNull, isNull } from 'drizzle-orm';
import { type DroppedFieldGroup, readDroppedFields } from '../../analysis/quality/dropped-fields.ts';
import { groupRejects } from '../../analysis/quality/rejected-items.ts';
import { systemClock } from '../../base/clock.ts';
import { reprocessPages } from '../../store/rebuild/reprocess-pages.ts';
import { rejects } from '../../store/schema/tables.ts';
import { openStore } from '../../store/store.ts';
import type { CommonOptions } from '../shared/common-options.ts';
import { readStore, requireStore } from '../shared/existing-store.ts';
import { trapSignals } from '../shared/signals.ts';
import { formatCount, pluralize, print, printJson, printNote, renderTable, formatDay } from '../terminal/print.ts';
import { createProgressLine } from '../terminal/progress.ts';

/** Prints rejected items and dropped fields. */
export async function listRejects({ db: path, json }: CommonOptions): Promise<void> {
  const [rejected, dropped] = await readStore(path, (db) => [groupRejects(db), readDroppedFields(db)] as const);
  if (json) return printJson({ rejects: rejected, droppedFields: dropped });
  const groups = [
    ...(rejected.length > 0 ? [renderGroups(rejected, 'items')] : []),
    ...(dropped.length > 0 ? [`Unreadable fields, left out of stored items:\n${renderGroups(dropped, 'values')}`] : []),
  ];
  if (groups.length === 0) return printNote('no rejected items');
  print(groups.join('\n\n'));
  const expired = rejected.reduce((sum, { items, readable }) => sum + items - readable, 0);
  if (expired > 0) printNote(`${pluralize(expired, 'item is', 'items are')} on pages whose bodies are not stored`);
}

function renderGroups<K extends 'items' | 'values'>(
  groups: readonly (Omit<DroppedFieldGroup, 'values'> & Readonly<Record<K, number>>)[],
  counted: K,
): string {
  const rows = groups.map((group) => [
    group.endpoint,
    group.field,
    group.reason,
    group[counted],
    formatDay(group.firstAt),
    formatDay(group.lastAt),
    group.sample.slice(0, 60),
  ]);
  return renderTable(['endpoint', 'field', 'reason', counted, 'first', 'last', 'sample'], rows);
}

/** Reads the pages of rejected items again. */
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
