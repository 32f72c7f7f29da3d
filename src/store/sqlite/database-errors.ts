import { FileReplacedError, TrawlError } from '../../errors.ts';

interface Trouble {
  readonly is: string;
  readonly hint: string;
}

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
    hint: 'Is its disk full, out of reach or broken? `trawl doctor` checks the database.',
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
  return trouble && new TrawlError(`${name} ${trouble.is}`, { hint: trouble.hint, cause });
}

/** SQLite's codes, beside `TROUBLES`, for what the machine lacks at the moment. */
const SHORTAGES = ['CANTOPEN', 'NOMEM', 'PROTOCOL'];

/**
 * Whether an error, or its cause, comes from the disk, the file, its locks or the memory. The same call may succeed later,
 * unless the file is damaged. All other errors of a write come from what was to be written.
 */
export const isStorageError = (error: unknown): boolean =>
  isReplaced(error) || wordsOf(error).some((word) => Object.hasOwn(TROUBLES, word) || SHORTAGES.includes(word));

/** Whether an error, or its cause, says that the file is damaged, or is no database any more. */
export const isCorruption = (error: unknown): boolean =>
  wordsOf(error).some((word) => ['CORRUPT', 'NOTADB'].includes(word));

/** Whether an error, or its cause, says that the disk is full or fails: what was to be written may be, later. */
export const isDiskError = (error: unknown): error is Error =>
  wordsOf(error).some((word) => ['FULL', 'IOERR'].includes(word));

/** Whether an error, or its cause, says that the file was deleted or replaced. */
const isReplaced = (error: unknown): boolean => chainOf(error).some((at) => at instanceof FileReplacedError);

/** What ends all work, by an error or its causes: the file is damaged, or another one; undefined for what may pass. */
export function findFatalError(error: unknown): TrawlError | undefined {
  const chain = chainOf(error);
  const replaced = chain.find((at) => at instanceof FileReplacedError);
  return (
    replaced ??
    chain
      .filter(isCorruption)
      .map((at) => describeStorageError(at))
      .find((trouble) => trouble !== undefined)
  );
}

/** An error and its causes. */
function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error; at = at.cause) chain.push(at);
  return chain;
}

/** The words after `SQLITE_` in the codes of an error and its causes. */
const wordsOf = (error: unknown): string[] => chainOf(error).map((at) => codeOf(at)?.split('_')[1] ?? '');

/** A database, or another file, that holds none of our tables. */
export const foreignFileError = (name: string): TrawlError =>
  new TrawlError(`${name} ${NOT_OURS.is}`, { hint: NOT_OURS.hint });

/** What SQLite's own check of a file has found. */
export const corruptFileError = (name: string, found: string): TrawlError =>
  new TrawlError(`${name} ${DAMAGED.is}: ${found}`, { hint: DAMAGED.hint });

/** Whatever SQLite may say, in words; undefined for what is no error of its. */
export function describeSqliteError(cause: unknown): TrawlError | undefined {
  if (codeOf(cause) === undefined) return undefined;
  const hint = 'Nothing was lost. `trawl doctor` checks the database.';
  return (
    describeStorageError(cause) ?? new TrawlError(`the database refused: ${(cause as Error).message}`, { hint, cause })
  );
}
