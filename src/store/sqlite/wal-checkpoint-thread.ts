import { parentPort, workerData } from 'node:worker_threads';
import { CHECKPOINT_PAGES } from './database.ts';
import { openConnection } from './driver.ts';
import { type OpenFiles, requireInPlace } from './file-watch.ts';

/**
 * The thread that copies the write-ahead log of a store into its file. A passive checkpoint neither waits for other
 * connections nor delays them. After a full checkpoint, the next write begins the log anew.
 */

const INTERVAL_MS = 100;
/** Half of the length at which a writer makes a checkpoint itself. */
const MIN_PAGES = CHECKPOINT_PAGES / 2;
/** Each round copies what was written during the previous one. */
const ROUNDS = 3;

const files = workerData as OpenFiles;
requireInPlace(files);
const client = openConnection(files.path, { timeout: 0, fileMustExist: true });

/** Returns whether another connection prevented the checkpoint, the pages of the log, and how many of them are in the file. */
function checkpoint(mode: 'NOOP' | 'PASSIVE'): { readonly busy: number; readonly log: number; checkpointed: number } {
  const [row] = client.pragma(`wal_checkpoint(${mode})`) as ReturnType<typeof checkpoint>[];
  return row!;
}

function shortenLog(): void {
  if (checkpoint('NOOP').log < MIN_PAGES) return;
  for (let round = 0; round < ROUNDS; round++) {
    const { busy, log, checkpointed } = checkpoint('PASSIVE');
    if (busy === 1 || log === checkpointed) return;
  }
}

const timer = setInterval(() => {
  try {
    shortenLog();
  } catch {
    // Locked, or the disk is full: it is repeated, and writers report the error.
  }
}, INTERVAL_MS);

parentPort!.once('message', () => {
  clearInterval(timer);
  client.close();
});
