import type { Db } from './database.ts';

/** For how long at most the lock is waited for. */
const PATIENCE_MS = 10_000;
const POLL_MS = 1;
/** Longer than others take to look again, so that whoever has just had the lock does not take it again under their eyes. */
const AFTER_YOU_MS = 3;

const sleeper = new Int32Array(new SharedArrayBuffer(4));
const sleep = (ms: number): unknown => Atomics.wait(sleeper, 0, 0, ms);

/**
 * Begins a transaction that may write, in fair turns with other processes: SQLite's own waiting looks more and more
 * seldom, and one busy writer would keep the others out for seconds. Blocks its thread. @throws when 10 s were not enough.
 */
export function prepareBeginImmediate({ $client }: Db): () => void {
  const begin = $client.prepare('begin immediate');
  let othersWrite = false;

  function tryBegin(): boolean {
    try {
      begin.run();
      return true;
    } catch (error) {
      if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
      return false;
    }
  }

  return () => {
    if (othersWrite) sleep(AFTER_YOU_MS);
    const giveUpAt = performance.now() + PATIENCE_MS;
    $client.pragma('busy_timeout = 0');
    try {
      othersWrite = !tryBegin();
      if (!othersWrite) return;
      while (performance.now() < giveUpAt) {
        sleep(POLL_MS);
        if (tryBegin()) return;
      }
      begin.run();
    } finally {
      $client.pragma(`busy_timeout = ${PATIENCE_MS}`);
    }
  };
}
