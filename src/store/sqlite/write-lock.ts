import type { Db } from './database.ts';

/** The maximum wait for the lock. */
const TIMEOUT_MS = 10_000;
const POLL_MS = 1;
/** The wait before taking the lock again while others wait for it: longer than their polling interval. */
const YIELD_MS = 3;

const sleeper = new Int32Array(new SharedArrayBuffer(4));
const sleep = (ms: number): unknown => Atomics.wait(sleeper, 0, 0, ms);

/**
 * Prepares the begin of a write transaction, in fair turns with other processes: SQLite itself polls less and less often,
 * so that one busy writer could exclude others for seconds. Blocks the thread. @throws after 10 s
 */
export function prepareBeginImmediate({ $client }: Db): () => void {
  const begin = $client.prepare('begin immediate');
  let hasContention = false;

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
    if (hasContention) sleep(YIELD_MS);
    const deadline = performance.now() + TIMEOUT_MS;
    $client.pragma('busy_timeout = 0');
    try {
      hasContention = !tryBegin();
      if (!hasContention) return;
      while (performance.now() < deadline) {
        sleep(POLL_MS);
        if (tryBegin()) return;
      }
      begin.run();
    } finally {
      $client.pragma(`busy_timeout = ${TIMEOUT_MS}`);
    }
  };
}
