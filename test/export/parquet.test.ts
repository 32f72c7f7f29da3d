import { readFileSync, writeFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SqlValue } from '../../src/analysis/sql/query.ts';
import { InvariantError, TrawlError } from '../../src/errors.ts';
import type { FormatOptions } from '../../src/export/formats/format.ts';
import { FORMATS } from '../../src/export/formats/formats.ts';
import { type ColumnType, type ResultSet, toResultSet } from '../../src/export/result-set.ts';
import { writeFile } from '../../src/export/write-file.ts';
import { tempFile } from '../support/temp.ts';
import { collectFile, toTypedResult } from './collect.ts';

/** Parquet files, read by DuckDB. */

const instance = await DuckDBInstance.create(':memory:');

/** Runs a statement of DuckDB on `file`. Returns its rows; integers are bigints. */
async function ask(file: Buffer, sql: string): Promise<unknown[][]> {
  const path = tempFile('file.parquet');
  writeFileSync(path, file);
  const connection = await instance.connect();
  try {
    await connection.run(`set timezone = 'UTC'`);
    const reader = await connection.runAndReadAll(sql.replaceAll('$file', `'${path}'`));
    return reader.getRowsJS() as unknown[][];
  } finally {
    connection.closeSync();
  }
}

const write = (result: ResultSet, options?: FormatOptions): Promise<Buffer> => collectFile('parquet', result, options);

const typesOf = async (file: Buffer): Promise<unknown[]> =>
  (await ask(file, 'select column_type from (describe select * from $file)')).map(([type]) => type);

/** The type that DuckDB finds for a column of type `any` with these values, and the values that it reads. */
async function readAny(...values: SqlValue[]): Promise<[type: unknown, ...unknown[]]> {
  const file = await write(toResultSet({ columns: ['a'], rows: values.map((value) => [value]) }));
  return [(await typesOf(file))[0], ...(await ask(file, 'select a from $file')).flat()];
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

  test('have the types and values that DuckDB expects', async () => {
    const file = await write(result);
    expect(await typesOf(file)).toEqual(['VARCHAR', 'BIGINT', 'DOUBLE', 'BOOLEAN', 'TIMESTAMP WITH TIME ZONE', 'BLOB']);
    expect(
      await ask(file, `select id, n, r, verified, strftime("at", '%Y-%m-%d %H:%M:%S.%g'), hex(raw) from $file`),
    ).toEqual([
      ['00123', 9223372036854775807n, 0.1, true, '2000-02-29 00:00:00.123', '00FF'],
      ['', -9223372036854775808n, -Infinity, false, '1969-12-31 23:59:59.999', ''],
      [null, null, null, null, null, null],
    ]);
  });

  test('exist without rows, too', async () => {
    const file = await write({ ...result, rows: [] });
    expect(await typesOf(file)).toHaveLength(6);
    expect(await ask(file, 'select count(*) from $file')).toEqual([[0n]]);
  });

  test('may contain nothing but nulls', async () => {
    const file = await write({
      ...result,
      rows: Array.from({ length: 50 }, () => [null, null, null, null, null, null]),
    });
    expect(await ask(file, 'select count(*), count(id), count(n), count(verified), count("at") from $file')).toEqual([
      [50n, 0n, 0n, 0n, 0n],
    ]);
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
    expect(await readAny(1n, null, 2n ** 60n)).toEqual(['BIGINT', 1n, null, 2n ** 60n]);
    expect(await readAny(1.5, null)).toEqual(['DOUBLE', 1.5, null]);
    expect(await readAny('a', null)).toEqual(['VARCHAR', 'a', null]);
    expect((await readAny(Buffer.from('a'), null))[0]).toBe('BLOB');
    expect(await readAny(null, null)).toEqual(['VARCHAR', null, null]);
    expect(await readAny()).toEqual(['VARCHAR']);
  });

  test('are real for integers and reals, unless an integer would lose digits', async () => {
    expect(await readAny(2n ** 53n - 1n, 0.5)).toEqual(['DOUBLE', 2 ** 53 - 1, 0.5]);
    expect(await readAny(2n ** 53n + 1n, 0.5)).toEqual(['VARCHAR', '9007199254740993', '0.5']);
  });

  test('are text for other mixtures', async () => {
    expect(await readAny(1n, 'a')).toEqual(['VARCHAR', '1', 'a']);
    expect(await readAny(1n, Buffer.from([10]))).toEqual(['VARCHAR', '1', "x'0a'"]);
  });

  test('are determined by the last of many rows, too', async () => {
    const rows = Array.from({ length: 45_000 }, (_, i): SqlValue[] => [BigInt(i), BigInt(i)]);
    rows.push([0.5, 'last']);
    const file = await write(toResultSet({ columns: ['a', 'b'], rows }));
    expect(await typesOf(file)).toEqual(['DOUBLE', 'VARCHAR']);
    expect(await ask(file, 'select count(*), sum(a), count(distinct b), max(b) from $file')).toEqual([
      [45_001n, (44_999 * 45_000) / 2 + 0.5, 45_001n, 'last'],
    ]);
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
  expect(await ask(file, 'select count(distinct row_group_id) > 1 from parquet_metadata($file)')).toEqual([[true]]);
  const read = await ask(
    file,
    'select id, text from $file order by file_row_number'.replace(
      '$file',
      'read_parquet($file, file_row_number = true)',
    ),
  );
  expect(read).toEqual(rows.map(([id, text]) => [id, (text as string).toWellFormed()]));
});

test('a search for a text does not skip its row group', async () => {
  // In UTF-16 the emoji is the least text of its group, in UTF-8 the greatest.
  const rows = ['\uff5e', '😀', '\uff5e'].map((text) => [text]);
  const file = await write(toTypedResult({ text: 'text' }, rows));
  expect(await ask(file, `select count(*) from $file where text = '😀'`)).toEqual([[1n]]);
  expect(await ask(file, `select count(*) from $file where text > '\uff5e'`)).toEqual([[1n]]);
});

test('columns may repeat a name or have an unusual one', async () => {
  const rows = [['1', '2', '3', '4']];
  const file = await write(toResultSet({ columns: ['a', 'a', '__proto__', 'a.b "c"'], rows }));
  expect(await ask(file, 'select a, a_2, "__proto__", "a.b ""c""" from $file')).toEqual(rows);
});

test('the file is compressed by zstd and has its metadata', async () => {
  const rows = Array.from({ length: 1000 }, (_, i): SqlValue[] => [`https://example.com/${i}`]);
  const file = await write(toTypedResult({ url: 'text' }, rows), { metadata: { trawl: '{"sql":"é"}' } });
  expect(await ask(file, 'select distinct compression from parquet_metadata($file)')).toEqual([['ZSTD']]);
  expect(await ask(file, `select decode(key), decode(value) from parquet_kv_metadata($file)`)).toEqual([
    ['trawl', '{"sql":"é"}'],
  ]);
});

test('the file says itself where its rows come from', async () => {
  const path = tempFile('rows.parquet');
  const origin = {
    version: '1.2.3',
    command: 'trawl sql',
    snapshotAt: '2026-01-01T00:00:00.000Z',
    store: {
      id: 'a',
      file: 'trawl.db',
    },
    sql: 'select :id',
    parameters: {
      id: 2n ** 60n,
      n: 1n,
    },
  };
  await writeFile({ path, format: FORMATS.parquet, result: toTypedResult({ id: 'text' }, [['1']]), origin });
  const [[value]] = (await ask(readFileSync(path), 'select decode(value) from parquet_kv_metadata($file)')) as [
    [string],
  ];
  expect(JSON.parse(value)).toEqual({ ...origin, parameters: { id: '1152921504606846976', n: 1 } });
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
      const read = await ask(file, 'select a, t from $file');
      expect(read.map(([, t]) => t)).toEqual(rows.map(([, t]) => t));
      // Equal up to the type: a column of several types is text.
      expect(read.map(([a]) => (a === null ? null : toNumberText(a)))).toEqual(
        rows.map(([a]) => (a === null ? null : toNumberText(a))),
      );
    }),
    { numRuns: 30 },
  );
});

/** -0 and 0 are equal. */
const toNumberText = (value: unknown): string => String(value === 0 ? 0 : value);
