import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { describeError, UsageError } from '../errors.ts';
import { openQuery } from './sql/query.ts';

/** Targets of crawls from a file or from the database. */

const CHUNK_BYTES = 64 * 1024;
/** The maximum length of a line, in characters. Longer lines are truncated; they cannot be targets. */
const LONGEST_LINE = 64 * 1024;
const STDIN = 0;

/**
 * Yields one target per line. Skips empty lines and comments, which begin with `# `: `#cop` is a search.
 * `-` is standard input. The file is read lazily.
 * @throws UsageError when it cannot be read.
 */
export function* readTargetsFromFile(file: string): Generator<string, void> {
  try {
    for (const line of linesOf(file)) if (!/^\s*(#(\s|$)|$)/.test(line)) yield line;
  } catch (cause) {
    throw new UsageError(`cannot read the targets in ${file}: ${describeError(cause)}`, { cause });
  }
}

function* linesOf(file: string): Generator<string, void> {
  const descriptor = file === '-' ? STDIN : openSync(file, 'r');
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    const decoder = new StringDecoder('utf8');
    let rest = '';
    for (let size = -1; size !== 0;) {
      size = readSync(descriptor, chunk, 0, CHUNK_BYTES, null);
      rest += size === 0 ? decoder.end() : decoder.write(chunk.subarray(0, size));
      const lines = rest.split(/\r?\n/);
      rest = size === 0 ? '' : lines.pop()!.slice(0, LONGEST_LINE);
      yield* lines;
    }
  } finally {
    if (descriptor !== STDIN) closeSync(descriptor);
  }
}

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
