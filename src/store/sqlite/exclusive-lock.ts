import type Database from 'better-sqlite3';
import { TrawlError } from '../../base/errors.ts';

/** Maximum wait in ms for a lock that a command may hold for a moment after its end. */
const LOCK_TIMEOUT_MS = 2000;

/**
 * Locks a database file against all other processes until the connection closes. The file leaves WAL mode, so that no
 * other file belongs to it. @throws TrawlError if another process has it open
 */
export function lockExclusively(client: Database.Database, path: string, schema = 'main'): void {
  client.pragma(`busy_timeout = ${LOCK_TIMEOUT_MS}`);
  try {
    const mode = client.pragma(`${schema}.journal_mode = delete`, { simple: true });
    client.pragma(`${schema}.locking_mode = exclusive`);
    client.exec('begin exclusive; commit');
    if (mode === 'delete') return;
  } catch (error) {
    if (!String((error as { code?: string }).code).startsWith('SQLITE_BUSY')) throw error;
  }
  throw inUseError(path);
}

export const inUseError = (path: string): TrawlError =>
  new TrawlError(`${path} is in use`, {
    hint: 'Stop its workers, its twin and whatever else has it open, and try again.',
  });
