import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { systemClock } from '#base/clock.ts';
import { describeError, UsageError } from '#base/errors.ts';
import { toSingleLine, truncate } from '#base/text.ts';
import { pluralize, print, printJson, printNote } from '#cli/terminal/print.ts';
import { parseTarget, type TypedTarget } from '#service/kinds/target.ts';
import { addMembers } from '#store/panels/edit-panels.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { describeAdded } from './add.ts';
import { bindAccounts, type LookupOptions } from './bind-accounts.ts';

/** Adds the accounts of a CSV file to a panel, all or none. Creates the panel if it is missing. */
export async function importPanel(panel: string, file: string, options: LookupOptions): Promise<void> {
  const { rows, otherColumns, duplicateLines } = parsePanelFile(readText(file));
  using db = openDatabase(options.db);
  const accounts = await bindAccounts(
    rows.map(({ account }) => account),
    options,
  );
  const members = accounts.map(({ restId, handle }, i) => ({ restId, handle, note: rows[i]!.note }));
  const changes = addMembers(db, panel, members, systemClock.now(), { create: true });
  if (options.json) return printJson({ panel, ...changes, duplicateLines, otherColumns });
  print(describeAdded(panel, changes));
  for (const { note } of accounts) if (note !== undefined) printNote(note);
  if (duplicateLines.length > 0) {
    const lines = duplicateLines.slice(0, 5).join(', ') + (duplicateLines.length > 5 ? ', …' : '');
    printNote(`ignored ${pluralize(duplicateLines.length, 'duplicate')}: line ${lines}`);
  }
  if (otherColumns.length > 0) printNote(`ignored columns: ${otherColumns.join(', ')}`);
}

/** @throws UsageError if the file cannot be read, or is not in UTF-8 */
function readText(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    throw new UsageError(`cannot read ${file}: ${describeError(cause)}`, { cause });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UsageError(`${file} is not in UTF-8`, { hint: 'Save it as "CSV UTF-8".', cause });
  }
}

/** A row of the CSV file of a panel: an account by its id or its handle. */
export interface PanelFileRow {
  readonly account: TypedTarget;
  /** Null if it is empty. */
  readonly note: string | null;
}

export interface PanelFile {
  /** One row per account. */
  readonly rows: readonly PanelFileRow[];
  /** The names of columns that are ignored. */
  readonly otherColumns: readonly string[];
  /** The numbers of lines with an account of an earlier line. They are ignored. */
  readonly duplicateLines: readonly number[];
}

const FORM = 'The first line names the columns: rest_id,handle,note. A row needs an id or a handle.';
const DIGITS_LOST = 'The digits are lost: take the ids from their source, and import the column rest_id as text.';

/** The maximum number of reported errors. */
const MOST_ERRORS = 10;

/**
 * Parses the CSV file of a panel (RFC 4180), whose columns may also be separated by semicolons or tabs.
 * @throws UsageError with the errors of the file
 */
export function parsePanelFile(text: string): PanelFile {
  const [head, ...lines] = readLines(text);
  if (!head) throw new UsageError('the file is empty', { hint: FORM });
  const names = head.cells.map((name) => name.trim().toLowerCase());
  const columns = { id: names.indexOf('rest_id'), handle: names.indexOf('handle'), note: names.indexOf('note') };
  if (columns.id === -1 && columns.handle === -1) {
    throw new UsageError('the file has neither a column rest_id nor a column handle', { hint: FORM });
  }
  const errors: string[] = [];
  const rows = new Map<string, PanelFileRow>();
  const duplicateLines: number[] = [];
  for (const { line, cells } of lines) {
    try {
      const account = readAccount(cells[columns.id] ?? '', cells[columns.handle] ?? '');
      if (rows.has(account.target)) duplicateLines.push(line);
      else rows.set(account.target, { account, note: cells[columns.note] || null });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      errors.push(`line ${line}: ${error.message}`);
    }
  }
  const rounded = findRoundedId([...rows.keys()]);
  if (rounded !== undefined)
    errors.push(
      `the ids end in zeros after 15 digits, as in ${rounded}: a spreadsheet has rounded them. ${DIGITS_LOST}`,
    );
  if (errors.length > 0) throw createFileError(errors);
  const otherColumns = head.cells.filter((name, i) => name.trim() !== '' && !Object.values(columns).includes(i));
  return { rows: [...rows.values()], otherColumns, duplicateLines };
}

interface Line {
  /** From 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** The lines that are not empty. @throws UsageError if the text is no CSV */
function readLines(text: string): Line[] {
  const [first = ''] = text.split(/\r|\n/, 1);
  const count = (separator: string): number => first.split(separator).length;
  const [delimiter] = [',', ';', '\t'].toSorted((a, b) => count(b) - count(a));
  try {
    const records = parse(text, { delimiter: delimiter!, info: true, relax_column_count: true }) as unknown as {
      readonly info: { readonly lines: number };
      readonly record: readonly string[];
    }[];
    return records
      .map(({ info, record }) => ({ line: info.lines, cells: record }))
      .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  } catch (error) {
    throw new UsageError(`the file is not CSV: ${describeError(error)}`, { cause: error });
  }
}

/** The account of a row, by its id if it has one. @throws UsageError */
function readAccount(idCell: string, handleCell: string): TypedTarget {
  const [id, handle] = [idCell.trim(), handleCell.trim()];
  if (id === '' && handle === '') throw new UsageError('neither an id nor a handle');
  if (id === '') return parseTarget('panel', 'account', handle);
  return {
    target: readId(id),
    handle: handle === '' ? undefined : parseTarget('panel', 'account', handle).handle,
  };
}

/** The form in which spreadsheets and data frames write numbers: `1.23E+18`, `1,23E+18`, `123.0`. */
const NUMBER = /^[+-]?\d+(?:[.,]\d+)?(?:e[+-]?\d+)?$/i;

function readId(text: string): string {
  const id = text.replace(/^id:/, '');
  if (NUMBER.test(id) && !/^\d+$/.test(id)) {
    throw new UsageError(`${truncate(id, 40)} is a number, not an id: a spreadsheet has changed it. ${DIGITS_LOST}`);
  }
  if (/^[A-Za-z0-9_-]{1,64}$/.test(id)) return `id:${id}`;
  throw new UsageError(`"${truncate(toSingleLine(id), 40)}" is not an id`);
}

/** Spreadsheets keep 15 digits of a number. */
const KEPT_DIGITS = 15;

/** One of the ids, if a spreadsheet has rounded them. A single id may end in zeros by chance. */
function findRoundedId(targets: readonly string[]): string | undefined {
  const long = targets
    .flatMap((target) => /^id:(\d+)$/.exec(target)?.[1] ?? [])
    .filter((id) => id.length > KEPT_DIGITS);
  const isRounded = (id: string): boolean => /^0+$/.test(id.slice(KEPT_DIGITS));
  return long.length > 1 && long.every(isRounded) ? long[0] : undefined;
}

function createFileError(errors: readonly string[]): UsageError {
  const rest = errors.length - MOST_ERRORS;
  const shown = [...errors.slice(0, MOST_ERRORS), ...(rest > 0 ? [`and ${rest} more`] : [])];
  return new UsageError(['nothing was imported', ...shown].join('\n  '), { hint: FORM });
}
