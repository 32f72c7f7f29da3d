import { setTimeout as delay } from 'node:timers/promises';
import { TrawlError } from '#base/errors.ts';
import { openConnection } from './driver.ts';

/**
 * Takes a lock between processes; undefined if another process has it. Node has no file locks, so that this holds the
 * write lock of an empty SQLite database, which is an fcntl lock. The kernel releases it however the process ends.
 */
export function tryFileLock(file: string): Disposable | undefined {
  const database = openConnection(file, { timeout: 0 });
  try {
    database.pragma('journal_mode = memory');
    database.exec('begin immediate');
    return { [Symbol.dispose]: () => void database.close() };
  } catch (error) {
    database.close();
    if ((error as { code?: unknown }).code === 'SQLITE_BUSY') return undefined;
    throw error;
  }
}

const RETRY_MS = 20;
const TIMEOUT_MS = 20_000;

/** Waits for a lock that is only held for short times. @throws TrawlError after 20 s */
export async function waitForFileLock(file: string): Promise<Disposable> {
  for (let waited = 0; waited < TIMEOUT_MS; waited += RETRY_MS) {
    const lock = tryFileLock(file);
    if (lock) return lock;
    await delay(RETRY_MS);
  }
  throw new TrawlError('another trawl process has been starting or stopping the queue server for too long', {
    hint: 'End it, or set REDIS_URL.',
  });
}
