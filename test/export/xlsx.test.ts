import fc from 'fast-check';
import { readXlsx } from 'hucre/xlsx';
import { describe, expect, test } from 'vitest';
import type { SqlValue } from '#analysis/sql/sql-query.ts';
import { UsageError } from '#base/errors.ts';
import { type ResultSet, toResultSet } from '#files/export/result-set.ts';
import { collectFile, toTypedResult } from './collect.ts';

/** xlsx files, read by a library that does not write them. */

const write = (result: ResultSet): Promise<Buffer> => collectFile('xlsx', result);

async function read(result: ResultSet) {
  const { sheets } = await readXlsx(await write(result));
  return sheets[0]!;
}

/** The values that are read for one column. */
async function readColumn(...values: SqlValue[]): Promise<unknown[]> {
  const { rows } = await read(toResultSet({ columns: ['a'], rows: values.map((value) => [value]) }));
  return rows.slice(1).map(([value]) => value ?? null);
}

test('ids and times are text, numbers numbers and booleans booleans', async () => {
  const { rows } = await read(
    toTypedResult({ id: 'text', n: 'integer', r: 'real', verified: 'boolean', at: 'timestamp', raw: 'blob' }, [
      ['00123', 42n, 0.1, 1n, 951_782_400_123n, Buffer.from([0, 255])],
      ['1234567890123456789', -1n, -1e-9, 0n, 0n, null],
    ]),
  );
  expect(rows).toEqual([
    ['id', 'n', 'r', 'verified', 'at', 'raw'],
    ['00123', 42, 0.1, true, '2000-02-29T00:00:00.123Z', "x'00ff'"],
    ['1234567890123456789', -1, -1e-9, false, '1970-01-01T00:00:00.000Z', null],
  ]);
});

test('numbers that a spreadsheet would round are text', async () => {
  // A spreadsheet has 15 digits.
  expect(await readColumn(999_999_999_999_999n, 1_000_000_000_000_000n, -(2n ** 63n), Infinity)).toEqual([
    999_999_999_999_999,
    '1000000000000000',
    '-9223372036854775808',
    'Infinity',
  ]);
});

test('texts are exact, and none is a formula', async () => {
  const texts = ['=1+1', '+1', '@a', '007', ' x ', 'a  b', '\ttab', 'one\ntwo', 'one\r\ntwo\r', '<&>"\'', '👩‍👩‍👧', 'é'];
  expect(await readColumn(...texts)).toEqual(texts);
});

test('characters that XML cannot contain are escaped, and so is text that looks like an escape', async () => {
  const texts = ['\0', 'bell \u0007', '\u001b[31m', '\ufffe', '_x0041_', '_x005F_x0041_', '_x41_'];
  expect(await readColumn(...texts)).toEqual(texts);
  expect(await readColumn('\ud800')).toEqual(['\ufffd']);
});

test('null is no cell, and an empty text is one', async () => {
  expect(await readColumn('', null, 'x')).toEqual(['', null, 'x']);
});

test('the header stays in view, and columns are as wide as their texts', async () => {
  const result = toResultSet({ columns: ['n', 'text', 'long'], rows: [[1n, 'x'.repeat(20), 'y'.repeat(500)]] });
  const { freezePane, columns } = await read(result);
  expect(freezePane).toMatchObject({ rows: 1 });
  expect(columns!.map(({ width }) => width)).toEqual([8, 22, 60]);
});

test('equal rows make equal files', async () => {
  const result = toResultSet({ columns: ['n'], rows: [[1n]] });
  expect(await write(result)).toEqual(await write(result));
});

test('a result without rows has its header', async () => {
  expect((await read(toResultSet({ columns: ['a', 'b'], rows: [] }))).rows).toEqual([['a', 'b']]);
});

test('many rows are complete and in their order', async () => {
  const rows = Array.from({ length: 30_000 }, (_, i): SqlValue[] => [
    BigInt(i),
    `text ${i}`,
    i % 3 === 0 ? null : i / 2,
  ]);
  const sheet = await read(toResultSet({ columns: ['n', 't', 'r'], rows }));
  expect(sheet.rows).toHaveLength(rows.length + 1);
  expect(sheet.rows.slice(1).map(([n, t, r]) => [n, t, r ?? null])).toEqual(rows.map(([n, t, r]) => [Number(n), t, r]));
});

test('columns beyond Z have their letters', async () => {
  const columns = Array.from({ length: 800 }, (_, i) => `c${i}`);
  const { rows } = await read(toResultSet({ columns, rows: [columns] }));
  expect(rows).toEqual([columns, columns]);
});

test('any text is exact', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: 'binary' })), async (texts) => {
      expect(await readColumn(...texts)).toEqual(texts);
    }),
    { numRuns: 50 },
  );
});

describe('what does not fit', () => {
  const explain = async (result: ResultSet): Promise<UsageError> => {
    const error: unknown = await write(result).then(undefined, (thrown: unknown) => thrown);
    if (error instanceof UsageError) return error;
    throw new Error('it was written');
  };

  test('is a row more than a worksheet has, and nothing is written', async () => {
    const rows = {
      *[Symbol.iterator]() {
        for (let i = 0; i < 1_048_576; i += 1) yield [1n];
      },
    };
    const error = await explain(toResultSet({ columns: ['a'], rows }));
    expect(error.message).toBe('xlsx holds at most 1,048,575 rows, and the result has more');
    expect(error.hint).toMatch(/csv.*parquet/);
  });

  test('is a text that is longer than a cell', async () => {
    const error = await explain(
      toResultSet({
        columns: ['id', 'bio'],
        rows: [
          ['1', 'x'],
          ['2', 'x'.repeat(32_768)],
        ],
      }),
    );
    expect(error.message).toBe('a cell of xlsx holds at most 32,767 characters, and "bio" of row 2 has 32,768');
    expect(await readColumn('x'.repeat(32_767))).toEqual(['x'.repeat(32_767)]);
  });
});
