import { systemClock } from '#base/clock.ts';
import { FileReplacedError, InvariantError } from '#base/errors.ts';
import { startGuard } from '#files/export/query/query-guard.ts';
import { serialiseError } from '#store/serialised-errors.ts';
import { createStateReader } from '#store/sqlite/change-detector.ts';
import { describeStorageError } from '#store/sqlite/database-errors.ts';
import { openReadOnly, requireCurrentVersion } from '#store/sqlite/database.ts';
import { findReplacement, identifyDatabase } from '#store/sqlite/file-watch.ts';
import { type ReadContext, ReadFile } from './read.ts';
import type { ReadAnswer, ReadOrder } from './reader-process.ts';
import { READS } from './reads.ts';

/** A reader process (`reader-process.ts` starts it): answers one order after the other over a read-only connection. */

// A terminal sends these to the whole process group. The parent decides, and ends this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
// Also while a statement runs, the process ends with its parent.
startGuard(undefined);

let opened: ReturnType<typeof openStoreToRead> | undefined;

process.on('message', (order: ReadOrder) => process.send!(answer(order)));
process.on('disconnect', () => process.exit());

function answer(order: ReadOrder): ReadAnswer {
  const { path } = order.settings;
  try {
    // A rebuild replaces the file.
    if (opened && findReplacement(opened.files)) closeStore();
    opened ??= openStoreToRead(path);
    return read(opened, order);
  } catch (error) {
    const known = describeStorageError(error, path) ?? error;
    if (known instanceof FileReplacedError) closeStore();
    return { error: serialiseError(known) };
  }
}

function openStoreToRead(path: string) {
  const db = openReadOnly(path);
  try {
    requireCurrentVersion(db, path);
    return { db, files: identifyDatabase(path), readToken: createStateReader(db), remember: createMemory() };
  } catch (error) {
    db.$client.close();
    throw error;
  }
}

function closeStore(): void {
  opened?.db.$client.close();
  opened = undefined;
}

/** Reads within one transaction, so that all numbers of a page belong to one state of the store. */
function read(
  { db, readToken, remember }: NonNullable<typeof opened>,
  { settings, path, request, unless }: ReadOrder,
): ReadAnswer {
  const find = READS[path];
  if (!find) throw new InvariantError(`there is no read ${path}`);
  const token = readToken();
  if (token === unless) return { token, json: undefined };
  const context: ReadContext = { db, settings, now: systemClock.now(), remember };
  const result = db.$client.transaction(() => find(context, request))();
  return result instanceof ReadFile
    ? { token, json: undefined, file: result }
    : { token, json: JSON.stringify(result) };
}

/** Returns a function that keeps values for a time. */
function createMemory(): ReadContext['remember'] {
  const kept = new Map<string, { readonly at: number; readonly value: unknown }>();
  return <T>(key: string, ms: number, compute: () => T): T => {
    const now = systemClock.now();
    const known = kept.get(key);
    if (known && now - known.at < ms) return known.value as T;
    const value = compute();
    kept.set(key, { at: now, value });
    return value;
  };
}
