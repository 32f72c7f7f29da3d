import type { SqlValue } from '#analysis/sql/sql-query.ts';
import { type FormatName, FORMATS } from '#files/export/formats/formats.ts';
import { MAX_ROWS } from '#files/export/formats/xlsx/xlsx-limits.ts';
import { writeFile } from '#files/export/write-file.ts';
import { ORIGIN, toTypedResult } from './collect.ts';

/** A process that writes a file until it is killed (xlsx: a file of the most rows). Prints a line per report of progress. */
const [path, name] = process.argv.slice(2) as [string, FormatName];
const end = name === 'xlsx' ? BigInt(MAX_ROWS) : 10n ** 12n;
const rows = {
  *[Symbol.iterator](): Generator<SqlValue[]> {
    for (let n = 0n; n < end; n += 1n) yield [n, `text ${n}`];
  },
};
await writeFile({
  path,
  format: FORMATS[name],
  result: toTypedResult(
    {
      n: 'integer',
      text: 'text',
    },
    rows,
  ),
  origin: ORIGIN,
  onRows: (count) => void process.stdout.write(`${count}\n`),
});
