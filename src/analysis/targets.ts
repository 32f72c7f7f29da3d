import { readFileSync } from 'node:fs';
import { describe, UsageError } from '../errors.ts';
import { openQuery } from './query.ts';

/** Targets of crawls that stand elsewhere than on the command line: in a file, or in the database itself. */

/**
 * One target per line; empty lines are passed over, and those that begin with `# `: `#cop` is a search.
 * `-` is standard input.
 * @throws UsageError when it cannot be read.
 */
export function targetsFromFile(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (cause) {
    throw new UsageError(`cannot read the targets in ${file}: ${describe(cause)}`, { cause });
  }
  return text.split(/\r?\n/).filter((line) => !/^\s*(#(\s|$)|$)/.test(line));
}

/**
 * The first column of a reading statement on a store. A column called rest_id, or …_rest_id, holds the service's ids, and
 * its values become `id:…`; any other column's values are taken as they stand.
 */
export function targetsFromSql(db: string, sql: string): string[] {
  using query = openQuery({ db, sql });
  const prefix = /(^|_)rest_id$/.test(query.columns[0] ?? '') ? 'id:' : '';
  const targets: string[] = [];
  for (const [value] of query.rows) if (value != null) targets.push(prefix + String(value as string | number | bigint));
  return targets;
}
