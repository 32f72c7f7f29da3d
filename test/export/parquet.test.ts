import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SqlValue } from '#analysis/sql/sql-query.ts';
import { InvariantError, TrawlError } from '#base/errors.ts';
import { FORMATS } from '#files/export/formats/formats.ts';
import type { FormatOptions } from '#files/export/formats/output-format.ts';
import { type ColumnType, type ResultSet, toResultSet } from '#files/export/result-set.ts';
import { writeFile } from '#files/export/write-file.ts';
import { type ParquetTable, readParquet } from '../support/tables.ts';
import { tempFile } from '../support/temp.ts';
import { collectFile, ORIGIN, toTypedResult } from './collect.ts';

const write = (result: ResultSet, options?: FormatOptions): Promise<Buffer> => collectFile('parquet', result, options);

const rowsOf = async (file: Buffer): Promise<readonly unknown[][]> => (await readParquet(file)).rows;

/** The types of the columns: the physical one, and what it stands for. */
const typesOf = ({ metadata }: ParquetTable): unknown[] =>
  metadata.schema.slice(1).map(({ type, converted_type: as }) => (as === undefined ? type : `${type} ${as}`));

const TEXT = 'BYTE_ARRAY UTF8';

/** The type of a column of type `any` with these values, and the values that are read. */
async function readAny(...values: SqlValue[]): Promise<[type: unknown, ...unknown[]]> {
  const table = await readParquet(await write(toResultSet({ columns: ['a'], rows: values.map((value) => [value]) })));
  return [typesOf(table)[0], ...table.rows.flat()];
}

describe('columns with types', () => {
  const result = toTypedResult(
    { id: 'text', n: 'integer', r: 'real', verified: 'boolean', at: 'timestamp', raw: 'blob' },
    [
      ['00123', 2n ** 63n - 1n, 0.1, 1n, 951_782_400_123n, Buffer.from([0, 255])],
      ['', -(2n ** 63n), -Infinity, 0n, -1n, Buffer.alloc(0)],
      [null, null, null, null, null, null],
    ],
  );

  test('have their types and values', async () => {
    const table = await readParquet(await write(result));
    expect(typesOf(table)).toEqual([TEXT, 'INT64', 'DOUBLE', 'BOOLEAN', 'INT64 TIMESTAMP_MILLIS', 'BYTE_ARRAY']);
    expect(table.metadata.schema.find(({ name }) => name === 'at')?.logical_type).toMatchObject({
      isAdjustedToUTC: true,
    });
    expect(table.rows).toEqual([
      ['00123', 9223372036854775807n, 0.1, true, new Date('2000-02-29T00:00:00.123Z'), new Uint8Array([0, 255])],
      ['', -9223372036854775808n, -Infinity, false, new Date('1969-12-31T23:59:59.999Z'), new Uint8Array()],
      [null, null, null, null, null, null],
    ]);
  });

  test('exist without rows, too', async () => {
    const table = await readParquet(await write({ ...result, rows: [] }));
    expect([typesOf(table).length, table.rows]).toEqual([6, []]);
  });

  test('may contain nothing but nulls', async () => {
    const rows = Array.from({ length: 50 }, () => [null, null, null, null, null, null]);
    expect(await rowsOf(await write({ ...result, rows }))).toEqual(rows);
  });

  test.each<[ColumnType, SqlValue]>([
    ['integer', 'twelve'],
    ['integer', 1.5],
    ['real', 'a'],
    ['timestamp', 'yesterday'],
  ])('of type %s cannot hold %s', async (type, value) => {
    const writing = write(toTypedResult({ a: type }, [[value]]));
    await expect(writing).rejects.toThrow(`a column of type ${type === 'real' ? type : 'integer'} contains`);
    await expect(writing).rejects.toThrow(TrawlError);
  });
});

describe('columns of unknown types', () => {
  test('get the type of all their values', async () => {
    expect(await readAny(1n, null, 2n ** 60n)).toEqual(['INT64', 1n, null, 2n ** 60n]);
    expect(await readAny(1.5, null)).toEqual(['DOUBLE', 1.5, null]);
    expect(await readAny('a', null)).toEqual([TEXT, 'a', null]);
    expect((await readAny(Buffer.from('a'), null))[0]).toBe('BYTE_ARRAY');
    expect(await readAny(null, null)).toEqual([TEXT, null, null]);
    expect(await readAny()).toEqual([TEXT]);
  });

  test('are real for integers and reals, unless an integer would lose digits', async () => {
    expect(await readAny(2n ** 53n - 1n, 0.5)).toEqual(['DOUBLE', 2 ** 53 - 1, 0.5]);
    expect(await readAny(2n ** 53n + 1n, 0.5)).toEqual([TEXT, '9007199254740993', '0.5']);
  });

  test('are text for other mixtures', async () => {
    expect(await readAny(1n, 'a')).toEqual([TEXT, '1', 'a']);
    expect(await readAny(1n, Buffer.from([10]))).toEqual([TEXT, '1', "x'0a'"]);
  });

  test('are determined by the last of many rows, too', async () => {
    const rows = Array.from({ length: 45_000 }, (_, i): SqlValue[] => [BigInt(i), BigInt(i)]);
    rows.push([0.5, 'last']);
    const table = await readParquet(await write(toResultSet({ columns: ['a', 'b'], rows })));
    expect(typesOf(table)).toEqual(['DOUBLE', TEXT]);
    expect(table.rows.join('\n')).toBe(rows.join('\n'));
  });

  test('need rows that can be read again', async () => {
    const rows = [[1n]].values();
    await expect(write(toResultSet({ columns: ['a'], rows }))).rejects.toThrow(InvariantError);
  });
});

test('texts are exact in several row groups, in their order', async () => {
  const texts = ['', ' x ', '=1+1', '007', 'a\r\nb', '\0', '👩‍👩‍👧', '\ud800', '\uffff', 'é'];
  const rows = Array.from({ length: 50_000 }, (_, i): SqlValue[] => [`${i}`, texts[i % texts.length]!]);
  const file = await write(toTypedResult({ id: 'text', text: 'text' }, rows));
  const table = await readParquet(file);
  expect(table.metadata.row_groups.length).toBeGreaterThan(1);
  expect(table.rows).toEqual(rows.map(([id, text]) => [id, (text as string).toWellFormed()]));
});

test('a search for a text does not skip its row group', async () => {
  // In UTF-16 the emoji is the least text of its group, in UTF-8 the greatest.
  const rows = ['\uff5e', '😀', '\uff5e'].map((text) => [text]);
  const { metadata } = await readParquet(await write(toTypedResult({ text: 'text' }, rows)));
  const { min_value: least = '\0', max_value: greatest = '😀' } =
    metadata.row_groups[0]!.columns[0]!.meta_data!.statistics!;
  const isBefore = (one: unknown, other: unknown): boolean => Buffer.compare(toBytes(one), toBytes(other)) <= 0;
  for (const [text] of rows) expect([isBefore(least, text), isBefore(text, greatest)]).toEqual([true, true]);
});

test('columns may repeat a name or have an unusual one', async () => {
  const rows = [['1', '2', '3', '4']];
  const file = await write(toResultSet({ columns: ['a', 'a', '__proto__', 'a.b "c"'], rows }));
  const table = await readParquet(file);
  expect([table.columns, table.rows]).toEqual([['a', 'a_2', '__proto__', 'a.b "c"'], rows]);
});

test('the file is compressed by zstd and has its metadata', async () => {
  const rows = Array.from({ length: 1000 }, (_, i): SqlValue[] => [`https://example.com/${i}`]);
  const file = await write(toTypedResult({ url: 'text' }, rows), { metadata: { trawl: '{"sql":"é"}' } });
  const { metadata } = await readParquet(file);
  expect(metadata.row_groups[0]?.columns[0]?.meta_data?.codec).toBe('ZSTD');
  expect(metadata.key_value_metadata).toEqual([{ key: 'trawl', value: '{"sql":"é"}' }]);
});

test('the file says itself where its rows come from', async () => {
  const path = tempFile('rows.parquet');
  await writeFile({ path, format: FORMATS.parquet, result: toTypedResult({ id: 'text' }, [['1']]), origin: ORIGIN });
  const [found] = (await readParquet(readFileSync(path))).metadata.key_value_metadata!;
  expect(JSON.parse(found!.value!)).toEqual({ ...ORIGIN, parameters: { id: '1152921504606846976', n: 1 } });
});

test('any rows of any types are read back', async () => {
  const cell = fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.double({ noNaN: true }),
    fc.string({ unit: 'binary' }),
    fc.constant(null),
  );
  const columns = fc.tuple(fc.array(cell), fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constant(null))));
  await fc.assert(
    fc.asyncProperty(columns, async ([anything, texts]) => {
      const rows = Array.from({ length: Math.max(anything.length, texts.length) }, (_, i): SqlValue[] => [
        anything[i] ?? null,
        texts[i] ?? null,
      ]);
      const file = await write({
        columns: [
          { name: 'a', type: 'any' },
          { name: 't', type: 'text' },
        ],
        rows,
      });
      const read = await rowsOf(file);
      expect(read.map(([, t]) => t)).toEqual(rows.map(([, t]) => t));
      // Equal up to the type: a column of several types is text.
      expect(read.map(([a]) => (a === null ? null : toNumberText(a)))).toEqual(
        rows.map(([a]) => (a === null ? null : toNumberText(a))),
      );
    }),
    { numRuns: 30 },
  );
});

const toBytes = (value: unknown): Buffer =>
  value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value));

/** -0 and 0 are equal. */
const toNumberText = (value: unknown): string => String(value === 0 ? 0 : value);
