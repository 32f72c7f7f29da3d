import {
  describeNeed,
  describeParameter,
  formatExample,
  formatFlags,
  formatNeededCommand,
} from '#analysis/queries/describe-query.ts';
import type { SavedQuery } from '#analysis/queries/saved-query.ts';
import { formatCommand, print, printJson } from '#cli/terminal/print.ts';
import { wrapProse } from '#cli/terminal/wrap.ts';
import { findQuery } from './find-query.ts';

/** `trawl query show`. */
export async function printQuery(name: string, { json }: { readonly json?: true }): Promise<void> {
  const query = findQuery(name);
  if (json) printJson(query);
  else print(renderQuery(query));
}

function renderQuery(query: SavedQuery): string {
  const { title, description, parameters, needs, file, sql } = query;
  const flags = parameters.map(formatFlags);
  const width = Math.max(0, ...flags.map(({ length }) => length)) + 2;
  return [
    title,
    wrapProse(description),
    ...section(
      'Parameters:',
      parameters.map((parameter, i) => `${flags[i]!.padEnd(width)}${describeParameter(parameter)}`),
    ),
    ...section(
      'Needs:',
      needs.map((need) => {
        const command = formatNeededCommand(need);
        return `${describeNeed(need).replaceAll('`', '')}${command === undefined ? '' : `: trawl ${command}`}`;
      }),
    ),
    ...section('Example:', [formatCommand('query run', formatExample(query))]),
    ...section('File:', [file]),
    sql,
  ].join('\n\n');
}

/** A heading with indented lines; nothing without lines. */
const section = (heading: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [[heading, ...lines.map((line) => `  ${line}`)].join('\n')];
