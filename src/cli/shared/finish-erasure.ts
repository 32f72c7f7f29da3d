import { systemClock } from '#base/clock.ts';
import { printNote } from '#cli/terminal/print.ts';
import { type ErasureState, NOTHING_TO_ERASE, readErasureState } from '#store/erasure/pending-erasure.ts';
import { describeSqliteError } from '#store/sqlite/database-errors.ts';

/**
 * Finishes an erasure of the store at `path` that was killed, and erases what an older copy of a store has of accounts that
 * were erased since. @throws TrawlError if the store is in use
 */
export async function finishErasure(path: string): Promise<void> {
  const { isUnfinished, onlyFile, onlyStore } = readState(path);
  if (!isUnfinished && onlyStore === 0) return;
  if (onlyFile > 0) printNote(`${path} is an older copy: erasing accounts that were erased since`);
  else if (isUnfinished) printNote(`finishing an interrupted erasure of ${path}`);
  const { finishErasures } = await import('#store/erasure/erase-accounts.ts');
  await finishErasures({ path, now: systemClock.now, onProgress: () => undefined });
}

/** A store that cannot be read is reported by the command. */
function readState(path: string): ErasureState {
  try {
    return readErasureState(path);
  } catch (error) {
    if (describeSqliteError(error) ?? describeSqliteError((error as Error).cause)) return NOTHING_TO_ERASE;
    throw error;
  }
}
