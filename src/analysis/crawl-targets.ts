import { existsSync, readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describeError, UsageError } from '#base/errors.ts';
import { readPanelMembers, unknownPanelError } from '#store/panels/panels.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { openQuery } from './sql/sql-query.ts';

/** Targets of crawls from a file, from the database or from a panel. */

/** The maximum length of a line, in characters. Longer lines are truncated; they cannot be targets. */
const LONGEST_LINE = 64 * 1024;
const LINE_END = /\r?\n/;

/**
 * Returns the targets of --from-file, one per line, without empty lines and comments. `-` is standard
 * input, which is awaited: a producer may be slow, and the descriptor need not block.
 * @throws UsageError when it cannot be read
 */
export async function openTargetFile(file: string, stdin: Readable): Promise<Iterable<string>> {
  if (file !== '-') return readTargetsFromFile(file);
  try {
    return (await text(stdin)).split(LINE_END).flatMap(toTargets);
  } catch (cause) {
    throw new UsageError(`cannot read the targets in standard input: ${describeError(cause)}`, { cause });
  }
}

/** Returns the targets of a file, as `openTargetFile` does. @throws UsageError when it cannot be read */
export function readTargetsFromFile(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split(LINE_END).flatMap(toTargets);
  } catch (cause) {
    throw new UsageError(`cannot read the targets in ${file}: ${describeError(cause)}`, { cause });
  }
}

/** The target of a line; none for an empty line, or for a comment, which begins with `# `: `#cop` is a search. */
const toTargets = (line: string): string[] => (/^\s*(#(\s|$)|$)/.test(line) ? [] : [line.slice(0, LONGEST_LINE)]);

/**
 * Reads the first column of a read-only statement. Values of a column called rest_id or …_rest_id are ids of the service
 * and become `id:…`; other values are unchanged.
 */
export function readTargetsFromSql(db: string, sql: string): string[] {
  using query = openQuery({ db, sql });
  const prefix = /(^|_)rest_id$/.test(query.columns[0] ?? '') ? 'id:' : '';
  const targets: string[] = [];
  for (const [value] of query.rows) if (value != null) targets.push(prefix + String(value as string | number | bigint));
  return targets;
}

/** An account as a target: its id, with its current handle if that is known. A crawl follows the id through renames. */
interface AccountTarget {
  /** `id:…` */
  readonly target: string;
  readonly handle: string | undefined;
}

/**
 * Reads the current members of a panel. The store is migrated if needed, and not created.
 * @throws UsageError if there is no such panel, or if it is empty
 */
export function readTargetsFromPanel(path: string, panel: string): AccountTarget[] {
  if (!existsSync(path)) throw unknownPanelError(panel, []);
  using db = openDatabase(path);
  const members = readPanelMembers(db, panel);
  if (members.length === 0) {
    throw new UsageError(`the panel ${panel} has no members`, {
      command: { name: 'panel add', args: panel, result: 'adds accounts' },
    });
  }
  return members.map(({ restId, screenName, handle }) => ({
    target: `id:${restId}`,
    handle: screenName ?? handle ?? undefined,
  }));
}
