import { type DroppedValues, droppedFields } from '../../analysis/quality/dropped-fields.ts';
import { rejectedItems, type RejectedItems } from '../../analysis/quality/rejected-items.ts';
import { systemClock } from '../../clock.ts';
import { readPagesAgain } from '../../rebuild/reprocess-pages.ts';
import { openStore } from '../../store/store.ts';
import { EXIT, print, tell } from '../shared/common-options.ts';
import { readStore, requireStore } from '../shared/existing-store.ts';
import { onInterrupt } from '../shared/signals.ts';
import { count, plural } from '../terminal/format.ts';
import { createProgressLine } from '../terminal/progress.ts';
import { renderTable } from '../terminal/table.ts';
import { day } from '../terminal/times.ts';

export interface RejectsWords {
  readonly db: string;
  readonly json?: true;
  readonly quiet?: true;
}

/** Prints which items were rejected, and which fields of other items were dropped. */
export async function listRejects({ db: path, json }: RejectsWords): Promise<void> {
  const [rejects, dropped] = await readStore(path, (db) => [rejectedItems(db), droppedFields(db)] as const);
  if (json) return print(JSON.stringify({ rejects, droppedFields: dropped }, null, 2));
  if (rejects.length > 0) tellRejects(rejects);
  if (rejects.length > 0 && dropped.length > 0) print('');
  if (dropped.length > 0) tellDropped(dropped);
  if (rejects.length === 0 && dropped.length === 0) tell('nothing is set aside');
}

function tellRejects(rejects: readonly RejectedItems[]): void {
  const rows = rejects.map(({ endpoint, field, reason, items, firstAt, lastAt, sample }) => [
    ...[endpoint, field, reason, count(items), day(firstAt), day(lastAt), sample.slice(0, 60)],
  ]);
  const head = ['endpoint', 'field', 'reason', 'items', 'first', 'last', 'sample'];
  print(renderTable(head, rows, { right: [3] }));
  const gone = rejects.reduce((sum, { items, readable }) => sum + items - readable, 0);
  if (gone > 0) tell(`${plural(gone, 'item is', 'items are')} on pages that were not kept, or have expired`);
}

function tellDropped(dropped: readonly DroppedValues[]): void {
  const rows = dropped.map(({ endpoint, field, reason, values, firstAt, lastAt, sample }) => [
    ...[endpoint, field, reason, count(values), day(firstAt), day(lastAt), sample.slice(0, 60)],
  ]);
  print('Fields that could not be read; their items are stored without them:');
  print(renderTable(['endpoint', 'field', 'reason', 'values', 'first', 'last', 'sample'], rows, { right: [3] }));
}

/** Reads the pages again that hold rejects. Returns the exit code. */
export async function retryRejects({ db: path, json, quiet }: RejectsWords): Promise<number> {
  const idsOf =
    'select distinct raw_page_id from rejects where resolved_at is null and raw_page_id is not null order by 1 desc';
  using interruption = onInterrupt('stopping: what was read again is stored');
  try {
    requireStore(path);
    // Opened first: after an update, that brings its tables up to date.
    await using store = openStore(path);
    const came = await readStore(path, async (db) => {
      const ids = db.$client.prepare<[], number>(idsOf).pluck().all();
      using line = createProgressLine({ quiet: quiet ?? false, now: systemClock.now });
      return await readPagesAgain(db, {
        ...{ ids, signal: interruption.signal, now: systemClock.now },
        store: (page) => store.write.readAgain(page),
        onPage: (pages) => line.show(`${count(pages)} of ${plural(ids.length, 'page')} read`),
      });
    });
    const left = await readStore(path, rejectedItems);
    const still = left.reduce((sum, { items }) => sum + items, 0);
    if (json) print(JSON.stringify({ ...came, left: still }, null, 2));
    else
      print(
        `${plural(came.resolved, 'item')} stored of ${plural(came.pages, 'page')}; ${plural(still, 'item stays', 'items stay')} set aside`,
      );
    return EXIT.complete;
  } catch (error) {
    if (error === interruption.signal.reason) return interruption.code()!;
    throw error;
  }
}
