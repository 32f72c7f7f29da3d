import type { ResultColumn, ResultSet } from '#files/export/result-set.ts';
import { convertRows, toText, type Value } from './format-values.ts';

/**
 * A table of GitHub Flavored Markdown that shows values as they are: pipes and characters of markup are escaped, line breaks
 * are `<br>`. Numbers are aligned to the right, in columns of type `any` by the first row.
 */
export function* formatMarkdown(result: ResultSet): Generator<string> {
  let isFirst = true;
  for (const row of convertRows(result)) {
    if (isFirst) yield formatHead(result.columns, row);
    isFirst = false;
    yield joinCells(row.map((value) => escapeMarkup(toText(value))));
  }
  if (isFirst) yield formatHead(result.columns, []);
}

function formatHead(columns: readonly ResultColumn[], first: readonly Value[]): string {
  const delimiters = columns.map((column, i) => (isNumeric(column, first[i]) ? '---:' : '---'));
  return joinCells(columns.map(({ name }) => escapeMarkup(name))) + joinCells(delimiters);
}

const isNumeric = ({ type }: ResultColumn, value: Value | undefined): boolean =>
  type === 'any' ? typeof value === 'bigint' || typeof value === 'number' : type === 'integer' || type === 'real';

const joinCells = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;

const escapeMarkup = (text: string): string =>
  text
    .replace(/[\\|`*_~<>[\]&]/g, String.raw`\$&`)
    .replace(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/g, '<br>')
    .replace(/\p{Cc}/gu, ' ');
