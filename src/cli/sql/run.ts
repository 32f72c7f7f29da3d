import { readFileSync } from 'node:fs';
import type { ChartOptions } from '#analysis/queries/chart-spec.ts';
import { describeError, UsageError } from '#base/errors.ts';
import { getContext } from '#cli/context.ts';
import { readChartOptions } from './chart-options.ts';
import type { SqlParameters } from './option-parsers.ts';
import type { OutputOptions } from './output-options.ts';
import { formatNameOf, runStatement } from './run-statement.ts';

export interface SqlCommandOptions extends OutputOptions, ChartOptions {
  readonly db: string;
  readonly file?: string;
  readonly param?: SqlParameters;
}

/** `trawl sql`. */
export async function runSql(statement: string | undefined, options: SqlCommandOptions): Promise<void> {
  const { db, file, param = {} } = options;
  const chart = readChartOptions(options, formatNameOf(options));
  await runStatement({ db, sql: await readStatement(statement, file), parameters: param, chart }, options);
}

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
