import { systemClock } from '../../clock.ts';
import { isErasureUnfinished } from '../../store/erasure/pending-erasure.ts';
import { printNote } from '../terminal/output.ts';

/** Finishes an erasure of the store at `path` that was killed. @throws TrawlError if the store is in use */
export async function finishErasure(path: string): Promise<void> {
  if (!isErasureUnfinished(path)) return;
  printNote(`finishing an interrupted erasure of ${path}`);
  const { finishErasures } = await import('../../store/erasure/erase-accounts.ts');
  await finishErasures({ path, now: systemClock.now, onProgress: () => undefined });
}
