import { UsageError } from '#base/errors.ts';
import { getContext } from '#cli/context.ts';
import { readPseudonymSettings } from '#cli/export/pseudonym-settings.ts';
import { getTerminalWidth } from '#cli/terminal/print.ts';
import { FORMATS, formatOf } from '#files/export/formats/formats.ts';
import type { PseudonymSettings } from '#files/export/pseudonyms/pseudonyms.ts';
import type { OutputRequest, QueryPseudonyms, QueryRequest, QueryResult } from '#files/export/query/query-request.ts';
import type { OutputOptions } from './output-options.ts';

/** A statement to run. */
interface Statement extends Pick<QueryRequest, 'db' | 'sql' | 'parameters' | 'chart'> {
  /** The saved query that it belongs to. */
  readonly query?: OutputRequest['query'];
  /** The numbers of rows that it leaves out, by reason. */
  readonly excluded?: OutputRequest['excluded'];
  /** What is known of the statement of a command, if it gets pseudonyms. */
  readonly known?: Omit<QueryPseudonyms, keyof PseudonymSettings>;
}

/**
 * Runs a statement, and prints its rows or writes them to a file.
 * @throws UsageError for a format that needs a file, or a wrong statement; TrawlError at a limit
 */
export async function runStatement(
  { query, excluded, chart, known, ...statement }: Statement,
  options: OutputOptions,
): Promise<QueryResult> {
  const { timeout, memory } = options;
  const path = filePathOf(options);
  const format = formatNameOf(options);
  if (path === undefined && !formatOf(format).isText) {
    throw new UsageError(`${format} cannot be written to stdout`, { hint: 'Name a file with -o.' });
  }
  const settings = readPseudonymSettings(options, { path });
  const request: QueryRequest = {
    ...statement,
    format,
    width: getTerminalWidth(),
    chart: formatOf(format) === FORMATS.svg ? chart : undefined,
    pseudonyms: settings && {
      ...settings,
      ...known,
    },
    output:
      path === undefined
        ? undefined
        : {
            path,
            command: await formatCommand(),
            query,
            excluded,
          },
  };
  // A child process takes longer to start than most statements to run (decision 46). A signal ends this one at once.
  if (path === undefined && timeout === undefined && memory === undefined) {
    const { runQuery } = await import('#files/export/query/export-query.ts');
    return await runQuery(request, { out: getContext().streams.stdout });
  }
  const { runInChild } = await import('./run-in-child.ts');
  return await runInChild(request, { timeoutMs: timeout, memoryBytes: memory });
}

const filePathOf = ({ output }: OutputOptions): string | undefined => (output === '-' ? undefined : output);

/** Returns the name of the format of the rows, or a path with its extension. */
export const formatNameOf = (options: OutputOptions): string =>
  options.json ? 'json' : (options.format ?? filePathOf(options) ?? 'table');

const formatCommand = async (): Promise<string> => (await import('#cli/export/command-line.ts')).formatCommandLine();
