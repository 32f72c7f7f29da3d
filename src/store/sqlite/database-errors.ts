import { type CommandHint, StoreError, type StoreFailure, TrawlError } from '#base/errors.ts';

interface Problem {
  readonly failure: StoreFailure;
  readonly text: string;
  readonly hint: string;
  readonly command?: CommandHint;
}

const CHECK: CommandHint = { name: 'doctor', result: 'checks the database' };

const DAMAGED: Problem = {
  failure: 'file',
  text: 'is damaged',
  hint: 'Restore the backup; `sqlite3` and its .recover save what can be read of this file.',
};
const LOCKED: Problem = {
  failure: 'unavailable',
  text: 'is locked by another program',
  hint: 'Nothing was lost. Try again when that program has ended.',
};
const FOREIGN: Problem = {
  failure: 'file',
  text: 'is not a database of trawl',
  hint: 'Name another file with --db or TRAWL_DB.',
};

const FULL: Problem = {
  failure: 'disk',
  text: 'cannot grow: the disk is full',
  hint: 'Nothing was lost. Free space, and try again.',
};

/** Problems by what follows `SQLITE_` in the error code, or by its first word. */
const PROBLEMS: Readonly<Record<string, Problem>> = {
  CORRUPT: DAMAGED,
  NOTADB: FOREIGN,
  READONLY: {
    failure: 'unavailable',
    text: 'may not be written to, nor beside, by this user',
    hint: 'SQLite writes beside the file even to read it. Use another user or, to read, a copy that was made while no program wrote to the file.',
  },
  FULL,
  IOERR: {
    failure: 'disk',
    text: 'cannot be read or written: the disk fails',
    hint: 'Is its disk full, not mounted or broken?',
    command: CHECK,
  },
  // The index of the write-ahead log cannot grow.
  IOERR_SHMSIZE: FULL,
  BUSY: LOCKED,
  LOCKED,
};
/** Other codes of a store that cannot be used now. */
const UNAVAILABLE = ['CANTOPEN', 'NOMEM', 'PROTOCOL'];

/** The code of an error of SQLite. */
const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('SQLITE_')
    ? error.code
    : undefined;

const findProblem = (code: string): Problem | undefined => PROBLEMS[code] ?? PROBLEMS[code.split('_')[0]!];

/** Describes an error of the file, its lock or its disk; undefined for any other error. */
export function describeStorageError(cause: unknown, name = 'the database'): TrawlError | undefined {
  const problem = findProblem(codeOf(cause)?.slice('SQLITE_'.length) ?? '');
  return problem && new TrawlError(`${name} ${problem.text}`, { ...problem, cause });
}

/** The error for a disk without space, where SQLite does not report it. */
export const fullDiskError = (name: string, cause: unknown): TrawlError =>
  new TrawlError(`${name} ${FULL.text}`, { ...FULL, cause });

/** Returns a StoreError for an error that SQLite caused; any other error as it is. */
export function toStoreError(error: unknown): unknown {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof StoreError) return at;
    const code = codeOf(at);
    if (code === undefined) continue;
    const name = code.slice('SQLITE_'.length);
    const failure = findProblem(name)?.failure ?? (UNAVAILABLE.includes(name.split('_')[0]!) ? 'unavailable' : 'data');
    return new StoreError(at.message, { failure, code, cause: error });
  }
  return error;
}

/** The error for a file without the tables of trawl. */
export const foreignFileError = (name: string): TrawlError => new TrawlError(`${name} ${FOREIGN.text}`, FOREIGN);

/** The error for a file that fails the integrity check of SQLite. */
export const corruptFileError = (name: string, found: string): TrawlError =>
  new TrawlError(`${name} ${DAMAGED.text}: ${found}`, DAMAGED);

/** Describes any error of SQLite; undefined for another error. */
export function describeSqliteError(cause: unknown): TrawlError | undefined {
  if (codeOf(cause) === undefined) return undefined;
  const message = `the database refused: ${(cause as Error).message}`;
  return describeStorageError(cause) ?? new TrawlError(message, { hint: 'Nothing was lost.', command: CHECK, cause });
}
