import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SqlValue } from '#analysis/sql/sql-query.ts';
import { formatCsv } from '#files/export/formats/csv-format.ts';
import { formatJson, formatJsonLines } from '#files/export/formats/json-format.ts';
import { formatMarkdown } from '#files/export/formats/markdown-format.ts';
import { formatAsTable } from '#files/export/formats/table-format.ts';
import { type ResultSet, toResultSet } from '#files/export/result-set.ts';

const FORMATTERS = {
  csv: formatCsv,
  json: formatJson,
  jsonl: formatJsonLines,
  markdown: formatMarkdown,
  table: formatAsTable,
};

type TextFormat = keyof typeof FORMATTERS;

const showResult = (as: TextFormat, result: ResultSet): string => [...FORMATTERS[as](result)].join('');

const show = (as: TextFormat, columns: readonly string[], ...rows: (readonly SqlValue[])[]): string =>
  showResult(as, toResultSet({ columns, rows }));

const ROW: readonly SqlValue[] = [1n, 2.5, 'text', null, Buffer.from([0, 255])];
const COLUMNS = ['i', 'r', 't', 'n', 'b'];

const value = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.double({ noNaN: true }),
  fc.string({ unit: 'binary' }),
  fc.constant(null),
);

describe('a table', () => {
  test('has a heading, numbers to the right and texts to the left', () => {
    expect(show('table', ['name', 'n'], ['a', 1n], ['long name', 1000n], [null, null])).toBe(
      ['name          n', '─────────  ────', 'a             1', 'long name  1000', '', ''].join('\n'),
    );
  });

  test('shows a blob by its size and null as nothing', () => {
    expect(show('table', COLUMNS, ROW).split('\n')[2]).toBe('1  2.5  text     <2 bytes>');
  });

  test('keeps its columns under wide characters', () => {
    const lines = show('table', ['a', 'b'], ['日本', 'x'], ['é', 'y'], ['👩‍👩‍👧', 'z']).split('\n');
    expect(lines.slice(2, 5)).toEqual(['日本  x', 'é     y', '👩‍👩‍👧    z']);
  });

  test('cuts long cells, and between characters', () => {
    const cell = show('table', ['a'], ['é'.repeat(30) + '👍'.repeat(40)]).split('\n')[2]!;
    expect(cell).toBe(`${'é'.repeat(30)}${'👍'.repeat(14)}…`);
  });

  test('removes terminal control sequences', () => {
    fc.assert(
      fc.property(fc.array(fc.array(value, { minLength: 2, maxLength: 2 })), (rows) => {
        const lines = show('table', ['a', 'b\u001b[31m'], ...rows).split('\n');
        expect(lines).toHaveLength(rows.length + 3);
        for (const line of lines) expect(line).not.toMatch(/\p{Cc}|\p{Bidi_C}/u);
      }),
    );
  });

  test('prints rows beyond those it measured', () => {
    const rows = Array.from({ length: 1000 }, (_, i): SqlValue[] => [BigInt(i)]);
    expect(show('table', ['n'], ...rows).split('\n')).toHaveLength(1003);
  });
});

describe('csv', () => {
  test('distinguishes null from empty text and does not change formulas', () => {
    expect(show('csv', ['a', 'b', 'c'], ['', null, '=1+1'], ['x,"y"', 'two\nlines', -1n])).toBe(
      'a,b,c\n"",,=1+1\n"x,""y""","two\nlines",-1\n',
    );
  });

  test('quotes line breaks of all systems', () => {
    expect(show('csv', ['a'], ['one\rtwo'], ['one\r\ntwo'])).toBe('a\n"one\rtwo"\n"one\r\ntwo"\n');
  });

  test('has blobs in hexadecimal', () => {
    expect(show('csv', COLUMNS, ROW)).toBe(`i,r,t,n,b\n1,2.5,text,,x'00ff'\n`);
  });

  test('is complete for any number of rows', () => {
    for (const count of [0, 498, 499, 500, 1001]) {
      const rows = Array.from({ length: count }, (_, i): SqlValue[] => [BigInt(i)]);
      expect(show('csv', ['n'], ...rows)).toBe(['n', ...rows.map(([n]) => n), ''].join('\n'));
    }
  });
});

describe('json', () => {
  test('is an array of objects that keeps numbers, blobs and columns exact', () => {
    expect(show('json', ['id', 'id', 'big', 'inf', 'b'], [1n, null, 2n ** 60n, Infinity, Buffer.from('a')])).toBe(
      `[\n{"id":1,"id_2":null,"big":"1152921504606846976","inf":"Infinity","b":"x'61'"}\n]\n`,
    );
    expect(show('json', ['a'])).toBe('[]\n');
  });

  test('and jsonl round-trip', () => {
    const back = (value: SqlValue): unknown =>
      typeof value === 'bigint' ? readBack(value) : typeof value === 'number' ? real(value) : value;
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 5 }), fc.integer({ min: 0, max: 5 }), (row, count) => {
        const columns = row.map((_, i) => (i === 0 ? '__proto__' : `c${i}`));
        const rows = Array.from({ length: count }, () => row);
        const whole = JSON.parse(show('json', columns, ...rows)) as object[];
        const lines = show('jsonl', columns, ...rows)
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line) as object);
        expect(lines).toHaveLength(count);
        for (const object of [...whole, ...lines]) expect(Object.values(object)).toEqual(row.map(back));
      }),
    );
  });

  test('renames duplicate columns', () => {
    expect(show('jsonl', ['a', 'a_2', 'a'], [1n, 2n, 3n])).toBe('{"a":1,"a_2":2,"a_3":3}\n');
  });
});

describe('markdown', () => {
  test('is a table with numbers to the right', () => {
    expect(show('markdown', ['name', 'n'], ['a', 1n], [null, 2.5])).toBe(
      ['| name | n |', '| --- | ---: |', '| a | 1 |', '|  | 2.5 |', ''].join('\n'),
    );
    expect(show('markdown', ['a'])).toBe('| a |\n| --- |\n');
  });

  test('shows markup as it is', () => {
    expect(show('markdown', ['a|b'], ['x | y'], ['<b>*_`[\\'], ['one\r\ntwo\nthree\rfour'])).toBe(
      [
        String.raw`| a\|b |`,
        '| --- |',
        String.raw`| x \| y |`,
        String.raw`| \<b\>\*\_\`\[\\ |`,
        '| one<br>two<br>three<br>four |',
        '',
      ].join('\n'),
    );
  });

  test('is one line per row, with a cell per column', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value)), (rows) => {
        const lines = show('markdown', ['a', 'b'], ...rows).split('\n');
        expect(lines).toHaveLength(rows.length + 3);
        // A pipe after an odd number of backslashes is text.
        for (const line of lines.slice(0, -1)) expect(line.replaceAll(/\\[^]/g, '').split('|')).toHaveLength(4);
      }),
    );
  });
});

describe('columns with types', () => {
  const TYPED: ResultSet = {
    columns: [
      { name: 'id', type: 'text' },
      { name: 'verified', type: 'boolean' },
      { name: 'at', type: 'timestamp' },
      { name: 'n', type: 'integer' },
    ],
    rows: [
      ['007', 1n, 951_782_400_123n, 951_782_400_123n],
      [null, 0n, -1n, 0n],
      ['1', null, null, null],
    ],
  };

  test('have times in ISO 8601 and booleans by their names', () => {
    expect(showResult('csv', TYPED)).toBe(
      [
        'id,verified,at,n',
        '007,true,2000-02-29T00:00:00.123Z,951782400123',
        ',false,1969-12-31T23:59:59.999Z,0',
        '1,,,',
        '',
      ].join('\n'),
    );
    expect(showResult('jsonl', TYPED).split('\n')[0]).toBe(
      '{"id":"007","verified":true,"at":"2000-02-29T00:00:00.123Z","n":951782400123}',
    );
    expect(showResult('table', TYPED).split('\n')[3]).toBe('     false     1969-12-31T23:59:59.999Z             0');
    expect(showResult('markdown', TYPED).split('\n').slice(1, 3)).toEqual([
      '| --- | --- | --- | ---: |',
      '| 007 | true | 2000-02-29T00:00:00.123Z | 951782400123 |',
    ]);
  });
});

const readBack = (value: bigint): unknown => (Number.isSafeInteger(Number(value)) ? Number(value) : String(value));
const real = (value: number): unknown => (Number.isFinite(value) ? value + 0 : String(value));
