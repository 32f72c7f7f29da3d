import { extname } from 'node:path';
import { UsageError } from '#base/errors.ts';
import type { Format } from './output-format.ts';
import { type TextFormatter, writeText } from './text-format.ts';
import { MAX_ROWS } from './xlsx/xlsx-limits.ts';

export type FormatName = 'csv' | 'xlsx' | 'jsonl' | 'parquet' | 'json' | 'markdown' | 'table' | 'svg';

/** A format whose implementation is loaded at its first use. */
const text = (extensions: readonly string[], mediaType: string, load: () => Promise<TextFormatter>): Format => ({
  extensions,
  mediaType,
  isText: true,
  write: async (result, sink, options) => await writeText(await load(), result, sink, options),
});

/** All file formats. `table` and `svg`, a chart, are for people; the others hold every value completely. */
export const FORMATS: Readonly<Record<FormatName, Format>> = {
  csv: text(['csv'], 'text/csv', async () => (await import('./csv-format.ts')).formatCsv),
  xlsx: {
    extensions: ['xlsx'],
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    isText: false,
    maxRows: MAX_ROWS,
    write: async (...args) => await (await import('./xlsx/xlsx-format.ts')).writeXlsx(...args),
  },
  jsonl: text(['jsonl', 'ndjson'], 'application/jsonl', async () => (await import('./json-format.ts')).formatJsonLines),
  parquet: {
    extensions: ['parquet'],
    mediaType: 'application/vnd.apache.parquet',
    isText: false,
    write: async (...args) => await (await import('./parquet/parquet-format.ts')).writeParquet(...args),
  },
  json: text(['json'], 'application/json', async () => (await import('./json-format.ts')).formatJson),
  markdown: text(
    ['md', 'markdown'],
    'text/markdown',
    async () => (await import('./markdown-format.ts')).formatMarkdown,
  ),
  table: text(['txt'], 'text/plain', async () => (await import('./table-format.ts')).formatAsTable),
  svg: {
    extensions: ['svg'],
    mediaType: 'image/svg+xml',
    isText: true,
    write: async (...args) => await (await import('./svg-format.ts')).writeChart(...args),
  },
};

/** Returns a format by its name, or by the extension of a path. @throws UsageError that lists the extensions */
export function formatOf(nameOrPath: string): Format {
  if (Object.hasOwn(FORMATS, nameOrPath)) return FORMATS[nameOrPath as FormatName];
  const extension = extname(nameOrPath).slice(1).toLowerCase();
  const format = Object.values(FORMATS).find(({ extensions }) => extensions.includes(extension));
  if (format) return format;
  const known = Object.values(FORMATS).map(({ extensions: [first] }) => `.${first}`);
  throw new UsageError(`the extension of ${nameOrPath} belongs to no file format`, {
    hint: `Extensions: ${known.join(', ')}.`,
  });
}
