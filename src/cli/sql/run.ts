import { readFileSync } from 'node:fs';
import { describeError, UsageError } from '../../errors.ts';
import { formatOf } from '../../export/formats/formats.ts';
import type { QueryRequest } from '../../export/query/query-request.ts';
import { getContext } from '../context.ts';
import { getTerminalWidth } from '../terminal/table.ts';
import type { SqlCommandOptions } from './command.ts';

/** `trawl sql`. */
export async function runSql(statement: string | undefined, options: SqlCommandOptions): Promise<void> {
  const { db, json, param = {}, timeout, memory } = options;
  const path = options.output === '-' ? undefined : options.output;
  const format = json ? 'json' : (options.format ?? path ?? 'table');
  if (path === undefined && !formatOf(format).isText) {
    throw new UsageError(`${format} cannot be written to stdout`, { hint: 'Name a file with -o.' });
  }
  const request: QueryRequest = {
    ...{ db, format, parameters: param, width: getTerminalWidth() },
    sql: await readStatement(statement, options.file),
    output: path === undefined ? undefined : { path, command: await formatCommand() },
  };
  // A child process takes longer to start than most statements to run (decision 46). A signal ends this one at once.
  if (path === undefined && timeout === undefined && memory === undefined) {
    const { runQuery } = await import('../../export/query/run-query.ts');
    await runQuery(request, { out: getContext().streams.stdout });
  } else {
    const { runInChild } = await import('./run-in-child.ts');
    await runInChild(request, { timeoutMs: timeout, memoryBytes: memory });
  }
}

const formatCommand = async (): Promise<string> => (await import('../export/command-line.ts')).formatCommandLine();

/** @throws UsageError unless there is one statement, and its file can be read */
async function readStatement(statement: string | undefined, file: string | undefined): Promise<string> {
  if (statement !== undefined && file !== undefined)
    throw new UsageError('there are two statements: remove one, or --file');
  if (statement === '-' || file === '-') {
    const { text } = await import('node:stream/consumers');
    return await text(getContext().streams.stdin);
  }
  if (statement !== undefined) return statement;
  if (file === undefined) {
    throw new UsageError('there is no statement', {
      hint: 'Type it, name its file with --file, or pipe it to `trawl sql -`.',
    });
  }
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`cannot read ${file}: ${describeError(cause)}`, { cause });
  }
}
