import type { SqlValue } from '#analysis/sql/sql-query.ts';
import type { ResultColumn, ResultSet } from '#files/export/result-set.ts';
import { type ColumnContent, contentOf } from './column-contents.ts';
import type { Pseudonyms } from './pseudonyms.ts';

/** Replaces the value of one column of a row; undefined for columns that stay as they are. */
type Replacement = ((value: SqlValue, row: readonly SqlValue[]) => SqlValue) | undefined;

/**
 * Returns the rows of a table without its private columns, and with pseudonyms in place of identities.
 * @param table its name, for `contentOf`
 */
export function pseudonymiseResult(table: string, result: ResultSet, pseudonyms: Pseudonyms): ResultSet {
  const contents = result.columns.map(({ name }) => contentOf(table, name));
  const kindAt = result.columns.findIndex(({ name }) => name === 'kind');
  const kept = contents.flatMap((content, i) => (pseudonyms.omits(content) ? [] : [i]));
  const replacements = contents.map((content): Replacement => {
    if (content === 'value') return undefined;
    return (value, row) =>
      value === null ? null : pseudonyms.replace(content, String(value), String(row[kindAt] ?? ''));
  });
  return {
    columns: kept.map((i) => describeColumn(result.columns[i]!, contents[i]!)),
    rows: {
      *[Symbol.iterator]() {
        for (const row of result.rows) {
          const replaced: SqlValue[] = [];
          for (const i of kept) replaced.push(replacements[i]?.(row[i]!, row) ?? row[i]!);
          yield replaced;
        }
      },
    },
  };
}

/** Pseudonyms are text, also those of numbers. */
function describeColumn(column: ResultColumn, content: ColumnContent): ResultColumn {
  if (content === 'value') return column;
  const note =
    content === 'text' ? 'Redacted: without addresses and long numbers, mentions are pseudonyms.' : 'A pseudonym.';
  return { ...column, type: 'text', description: [column.description, note].filter(Boolean).join(' ') };
}
