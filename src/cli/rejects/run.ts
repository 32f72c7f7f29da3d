import { type DroppedFieldGroup, readDroppedFields } from '../../analysis/quality/dropped-fields.ts';
import { groupRejects, type RejectGroup } from '../../analysis/quality/rejected-items.ts';
import { systemClock } from '../../clock.ts';
import { reprocessPages } from '../../rebuild/reprocess-pages.ts';
import { openStore } from '../../store/store.ts';
import { EXIT, print, printNote } from '../shared/common-options.ts';
import { readStore, requireStore } from '../shared/existing-store.ts';
import { trapSignals } from '../shared/signals.ts';
import { formatCount, pluralize } from '../terminal/format.ts';
import { createProgressLine } from '../terminal/progress.ts';
import { renderTable } from '../terminal/table.ts';
import { formatDay } from '../terminal/times.ts';

export interface RejectsOptions {
  readonly db: string;
  readonly json?: true;
  readonly quiet?: true;
}

/** Prints rejected items and dropped fields. */
export async function listRejects({ db: path, json }: RejectsOptions): Promise<void> {
  const [rejects, dropped] = await readStore(path, (db) => [groupRejects(db), readDroppedFields(db)] as const);
  if (json) return print(JSON.stringify({ rejects, droppedFields: dropped }, null, 2));
  if (rejects.length > 0) printRejects(rejects);
  if (rejects.length > 0 && dropped.length > 0) print('');
  if (dropped.length > 0) printDroppedFields(dropped);
  if (rejects.length === 0 && dropped.length === 0) printNote('no rejected items');
}

function printRejects(rejects: readonly RejectGroup[]): void {
  const rows = rejects.map(({ endpoint, field, reason, items, firstAt, lastAt, sample }) => [
    ...[endpoint, field, reason, formatCount(items), formatDay(firstAt), formatDay(lastAt), sample.slice(0, 60)],
  ]);
  const head = ['endpoint', 'field', 'reason', 'items', 'first', 'last', 'sample'];
  print(renderTable(head, rows, { right: [3] }));
  const gone = rejects.reduce((sum, { items, readable }) => sum + items - readable, 0);
  if (gone > 0) printNote(`${pluralize(gone, 'item is', 'items are')} on pages whose bodies are not stored`);
}

function printDroppedFields(dropped: readonly DroppedFieldGroup[]): void {
  const rows = dropped.map(({ endpoint, field, reason, values, firstAt, lastAt, sample }) => [
    ...[endpoint, field, reason, formatCount(values), formatDay(firstAt), formatDay(lastAt), sample.slice(0, 60)],
  ]);
  print('Unreadable fields, left out of stored items:');
  print(renderTable(['endpoint', 'field', 'reason', 'values', 'first', 'last', 'sample'], rows, { right: [3] }));
}

/** Reads the pages of rejected items again. Returns the exit code. */
export async function retryRejects({ db: path, json, quiet }: RejectsOptions): Promise<number> {
  const idsOf =
    'select distinct raw_page_id from rejects where resolved_at is null and raw_page_id is not null order by 1 desc';
  using interruption = trapSignals('stopping: items of finished pages are stored');
  try {
    requireStore(path);
    // Opened first to migrate the store after an update.
    await using store = openStore(path);
    const came = await readStore(path, async (db) => {
      const ids = db.$client.prepare<[], number>(idsOf).pluck().all();
      using line = await createProgressLine({ quiet: quiet ?? false, now: systemClock.now });
      return await reprocessPages(db, {
        ...{ ids, signal: interruption.signal, now: systemClock.now },
        store: (page) => store.write.reprocessPage(page),
        onPage: (pages) => line.show(`${formatCount(pages)} of ${pluralize(ids.length, 'page')} read`),
      });
    });
    const left = await readStore(path, groupRejects);
    const still = left.reduce((sum, { items }) => sum + items, 0);
    if (json) print(JSON.stringify({ ...came, remaining: still }, null, 2));
    else
      print(
        `${pluralize(came.resolved, 'item')} stored from ${pluralize(came.pages, 'page')}; ${pluralize(still, 'item remains', 'items remain')} rejected`,
      );
    return EXIT.complete;
  } catch (error) {
    if (error === interruption.signal.reason) return interruption.code()!;
    throw error;
  }
}
