import { pluralize } from '#base/text.ts';
import type { DatasetFile } from '#files/export/dataset/written-file.ts';
import type { ColumnType } from '#files/export/result-set.ts';
import { formatRows } from './markdown-text.ts';

/** What the values of a column look like, in CSV and in Parquet. */
const TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  integer: 'integer',
  real: 'number',
  boolean: 'flag',
  timestamp: 'time',
  blob: 'bytes',
  any: 'any',
};

/** `DATA_DICTIONARY.md`: the tables of the dataset, with their keys and columns. */
export const formatDictionary = (files: readonly DatasetFile[], hasPseudonyms: boolean): string =>
  [
    '# Data dictionary\n',
    (hasPseudonyms
      ? 'Ids, handles and other identities are pseudonyms, the same in all tables: README.md says how they are made. '
      : 'Ids (`rest_id` and columns that end with `_rest_id`) are those of the service: texts of digits, too long for a number of R, ' +
        'JavaScript or Excel. ') +
      'Times are UTC: texts of ISO 8601 with milliseconds in CSV, timestamps in Parquet. Flags are `true` or ' +
      '`false`. A missing value (an empty field in CSV, null in Parquet) means that the service has not shown it.\n',
    ...files.map(formatTable),
  ].join('\n');

function formatTable({ name, title, file, rows, table }: DatasetFile): string {
  const { columns = [], primaryKey, foreignKeys = [] } = table ?? {};
  const references = new Map(foreignKeys.map(({ column, to }) => [column, ` Refers to \`${to.table}.${to.column}\`.`]));
  const key = primaryKey && ` Primary key: ${primaryKey.map((column) => `\`${column}\``).join(', ')}.`;
  return [
    `## ${name}\n`,
    `${title}. File: \`${file}\`, ${pluralize(rows, 'row')}.${key ?? ''}\n`,
    formatRows(
      ['column', 'type', 'description'],
      columns.map(({ name: column, type, description = '' }) => [
        `\`${column}\``,
        TYPES[type],
        `${description}${references.get(column) ?? ''}`,
      ]),
    ),
    '',
  ].join('\n');
}
