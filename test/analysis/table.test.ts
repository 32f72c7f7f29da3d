import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { type Cell, formatTable } from '#analysis/sql/format-table.ts';
import { measureWidth } from '#analysis/sql/printable-text.ts';

const word = (text: string): Cell => ({ text, isNumber: false });
const number = (n: number): Cell => ({ text: String(n), isNumber: true });
const ROWS = [
  [number(1_234_567), word('nasa'), word('one page is all that the service shows')],
  [number(8), word('a name that is long enough'), word('stopped')],
];

describe('a table on a terminal', () => {
  test('fits: the widest texts are truncated first, numbers never', () => {
    expect([...formatTable(['n', 'target', 'reason'], ROWS, { width: 50 })].join('')).toBe(
      [
        '      n  target                reason',
        '───────  ────────────────────  ───────────────────',
        '1234567  nasa                  one page is all th…',
        '      8  a name that is long…  stopped',
        '',
      ].join('\n'),
    );
  });

  test('elsewhere is complete', () => {
    expect([...formatTable(['n', 'target', 'reason'], ROWS)].join('')).toContain(
      'one page is all that the service shows\n',
    );
  });

  test('that cannot fit is complete', () => {
    const row = Array.from({ length: 9 }, (_, i) => word(`a text of column ${i}`));
    const columns = row.map((_, i) => `c${i}`);
    expect([...formatTable(columns, [row], { width: 80 })]).toEqual([...formatTable(columns, [row])]);
  });

  test('fits any content as long as every text keeps eight columns', () => {
    const texts = fc.array(fc.tuple(fc.string({ unit: 'grapheme', maxLength: 70 }), fc.string(), fc.nat()), {
      minLength: 1,
      maxLength: 250,
    });
    fc.assert(
      fc.property(texts, fc.integer({ min: 40, max: 120 }), (rows, width) => {
        const cells = rows.map(([a, b, n]) => [word(a), word(b), number(n)]);
        const lines = [...formatTable(['a', 'b', 'n'], cells, { width })];
        for (const line of lines.slice(0, 202)) expect(stringWidth(line.trimEnd())).toBeLessThanOrEqual(width);
        expect(lines).toHaveLength(rows.length + 2);
      }),
    );
  });
});

test('every text takes as many columns as string-width measures', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }),
    fc.array(fc.nat({ max: 0x2fff }).map((code) => String.fromCodePoint(code))).map((all) => all.join('')),
  );
  fc.assert(fc.property(texts, (text) => measureWidth(text) === stringWidth(text)));
  for (let code = 0; code < 0x3000; code++) {
    const text = String.fromCodePoint(code);
    expect([code, measureWidth(text)]).toEqual([code, stringWidth(text)]);
  }
});
