import { systemClock } from '../../clock.ts';
import { TrawlError } from '../../errors.ts';
import { tryFileLock } from '../../queue/redis/file-lock.ts';
import { shipToLake } from '../../ship/ship-to-lake.ts';
import { openDatabase } from '../../store/sqlite/database.ts';
import { openStore } from '../../store/store.ts';
import type { CommonOptions } from '../shared/common-options.ts';
import { requireStore } from '../shared/existing-store.ts';
import { trapSignals } from '../shared/signals.ts';
import { formatCount } from '../terminal/format.ts';
import { printJson, printNote } from '../terminal/output.ts';
import { createProgressLine } from '../terminal/progress.ts';
import { findTarget } from './targets.ts';

/** Ships facts to a target until a signal; with `once`, until nothing waits. */
export async function runShipping(
  folder: string | undefined,
  { db: path, json, quiet, once = false }: CommonOptions & { readonly once?: boolean },
): Promise<void> {
  await requireStore(path);
  using interruption = trapSignals('sealing what has arrived', { orderly: 0 });
  await using store = openStore(path);
  using db = openDatabase(path);
  const target = findTarget(db, folder);
  using lock = tryFileLock(`${path}.ship-${target.id}`);
  if (!lock) throw new TrawlError(`another process ships ${path} to ${target.address}`, { hint: 'It is enough.' });
  if (!quiet) printNote(`shipping to ${target.address}`);
  using line = await createProgressLine({ quiet, now: systemClock.now });
  const shipped = await shipToLake({
    ...{ db, path, target, store: store.id, clock: systemClock, signal: interruption.signal, isOnce: once },
    onProgress: ({ entries, facts }) =>
      line.show(`${formatCount(facts)} facts of ${formatCount(entries)} entries are sealed`),
  });
  if (json) printJson({ target: target.address, store: store.id, ...shipped });
  else if (!quiet) printNote(`${formatCount(shipped.facts)} facts are sealed`);
}
