import { type CommandHint, StoreError, type StoreFailure, TrawlError } from '../../errors.ts';

interface Trouble {
  readonly is: string;
  readonly hint: string;
  readonly command?: CommandHint;
}

const CHECK: CommandHint = { name: 'doctor', result: 'checks the database' };

const DAMAGED: Trouble = {
  is: 'is damaged',
  hint: 'Restore the backup; `sqlite3` and its .recover save what can be read of this file.',
};
const LOCKED: Trouble = {
  is: 'is locked by another program',
  hint: 'Nothing was lost; do the same again when that one has ended.',
};
const NOT_OURS: Trouble = {
  is: 'is not a database of trawl',
  hint: 'Name another file with --db or TRAWL_DB.',
};

/** What SQLite's codes come to for people, by the word after `SQLITE_`. */
const TROUBLES: Readonly<Record<string, Trouble>> = {
  CORRUPT: DAMAGED,
  NOTADB: NOT_OURS,
  READONLY: {
    is: 'may not be written to, nor beside, by this user',
    hint: 'SQLite writes beside it even to read it. Be a user who may; to read, a copy of your own will do that was made while nobody wrote.',
  },
  FULL: { is: 'cannot grow: the disk is full', hint: 'Nothing was lost; make room, and do the same again.' },
  IOERR: {
    is: 'cannot be read or written: the disk fails',
    hint: 'Is its disk full, out of reach or broken?',
    command: CHECK,
  },
  BUSY: LOCKED,
  LOCKED,
};

/** SQLite's own errors carry its code. */
const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('SQLITE_')
    ? error.code
    : undefined;

/** An error of SQLite that has nothing to do with what was asked of it, in words; undefined for any other error. */
export function describeStorageError(cause: unknown, name = 'the database'): TrawlError | undefined {
  const trouble = TROUBLES[codeOf(cause)?.split('_')[1] ?? ''];
  return trouble && new TrawlError(`${name} ${trouble.is}`, { hint: trouble.hint, command: trouble.command, cause });
}

/** What the codes say of the store, by the word after `SQLITE_`; `data` for any other code. */
const FAILURES: Readonly<Record<string, StoreFailure>> = {
  ...{ CORRUPT: 'file', NOTADB: 'file', FULL: 'disk', IOERR: 'disk' },
  ...{ READONLY: 'unavailable', BUSY: 'unavailable', LOCKED: 'unavailable' },
  ...{ CANTOPEN: 'unavailable', NOMEM: 'unavailable', PROTOCOL: 'unavailable' },
};

/** A StoreError for an error that SQLite caused; any other error as it is. */
export function toStoreError(error: unknown): unknown {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof StoreError) return at;
    const code = codeOf(at);
    if (code === undefined) continue;
    const failure = FAILURES[code.split('_')[1]!] ?? 'data';
    return new StoreError(at.message, { failure, code, cause: error });
  }
  return error;
}

/** A database, or another file, that holds none of our tables. */
export const foreignFileError = (name: string): TrawlError =>
  new TrawlError(`${name} ${NOT_OURS.is}`, { hint: NOT_OURS.hint });

/** What SQLite's own check of a file has found. */
export const corruptFileError = (name: string, found: string): TrawlError =>
  new TrawlError(`${name} ${DAMAGED.is}: ${found}`, { hint: DAMAGED.hint });

/** Whatever SQLite may say, in words; undefined for what is no error of its. */
export function describeSqliteError(cause: unknown): TrawlError | undefined {
  if (codeOf(cause) === undefined) return undefined;
  return (
    describeStorageError(cause) ??
    new TrawlError(`the database refused: ${(cause as Error).message}`, {
      hint: 'Nothing was lost.',
      command: CHECK,
      cause,
    })
  );
}
