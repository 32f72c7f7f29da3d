import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { CHECKPOINT_PAGES } from './database.ts';
import { type OpenFiles, requireInPlace } from './file-watch.ts';

/**
 * The thread that brings a store's write-ahead log into its file while others go on writing: a passive checkpoint waits
 * for nobody, and nobody waits for it. When all of the log is in the file, the next to write begins it anew.
 */

/** How often it looks how long the log has become. */
const LOOK_MS = 100;
/** Half of what makes a writer do it. */
const FROM_PAGES = CHECKPOINT_PAGES / 2;
/** What was written during the first round is little, and during the next hardly anything. */
const ROUNDS = 3;

const files = workerData as OpenFiles;
requireInPlace(files);
const client = new Database(files.path, { timeout: 0, fileMustExist: true });

/** Whether it was kept from it by another, how many pages the log has, and how many of them the file has too. */
function checkpoint(mode: 'NOOP' | 'PASSIVE'): { readonly busy: number; readonly log: number; checkpointed: number } {
  const [row] = client.pragma(`wal_checkpoint(${mode})`) as ReturnType<typeof checkpoint>[];
  return row!;
}

function shorten(): void {
  if (checkpoint('NOOP').log < FROM_PAGES) return;
  for (let round = 0; round < ROUNDS; round++) {
    const { busy, log, checkpointed } = checkpoint('PASSIVE');
    if (busy === 1 || log === checkpointed) return;
  }
}

const timer = setInterval(() => {
  try {
    shorten();
  } catch {
    // Locked, or the disk is full: there is another time, and whoever writes is told.
  }
}, LOOK_MS);

parentPort!.once('message', () => {
  clearInterval(timer);
  client.close();
});
