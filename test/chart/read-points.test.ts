import { describe, expect, test } from 'vitest';
import type { ChartSpec } from '#analysis/queries/chart-spec.ts';
import { TrawlError, UsageError } from '#base/errors.ts';
import { completeSpec } from '#files/chart/data/complete-spec.ts';
import { inferPeriod, parseIsoTime } from '#files/chart/data/periods.ts';
import { readPoints } from '#files/chart/data/read-points.ts';

const LINE: ChartSpec = { mark: 'line', x: 'at', y: 'n' };
const COLUMNS = ['at', 'n', 'name'];

const read = (rows: unknown[][], spec: Partial<ChartSpec> = {}) =>
  readPoints({ columns: COLUMNS, rows }, { ...LINE, ...spec });

describe('a chart is refused', () => {
  test.each<[string, unknown[][], Partial<ChartSpec>, string, string?]>([
    [
      'without a column',
      [['2025-01-01', 1, 'a']],
      { y: 'nam' },
      'there is no column nam',
      'Did you mean name? Columns: at, n, name.',
    ],
    [
      'with text as a number',
      [
        ['2025-01-01', 1, 'a'],
        ['2025-01-02', 'many', 'a'],
      ],
      {},
      'n has to be a number: in row 2, it is the text "many"',
      'cast(n as real)',
    ],
    [
      'with a blob as a number',
      [['2025-01-01', Buffer.from('x'), 'a']],
      {},
      'n has to be a number: in row 1, it is a blob',
    ],
    ['with an infinite number', [['2025-01-01', Infinity, 'a']], {}, 'n has to be a number: in row 1'],
    ['without a time', [[null, 1, 'a']], {}, 'at is null in row 1', 'where at is not null'],
    ['with a text as a time', [['soon', 1, 'a']], { period: 'day' }, 'at has to be a time: in row 1, it is "soon"'],
    ['with a day that does not exist', [['2025-02-30', 1, 'a']], { period: 'day' }, 'it is "2025-02-30"'],
    [
      'with two values at a place',
      [
        ['2025-01-01', 1, 'a'],
        ['2025-01-01', 2, 'b'],
      ],
      {},
      'two rows have the same place: at 2025-01-01T00:00:00.000Z',
      'as the series',
    ],
    [
      'with two values at a place of a series',
      [
        ['2025-01-01', 1, 'a'],
        ['2025-01-01', 2, 'a'],
      ],
      { series: 'name' },
      'at 2025-01-01T00:00:00.000Z of a',
    ],
    [
      'with bins that overlap',
      [
        ['2025-01-01', 1, 'a'],
        ['2025-01-03', 2, 'a'],
      ],
      { period: 'week' },
      'begin less than a week apart',
    ],
    ['with columns at any time', [['2025-01-01T12:34:00Z', 1, 'a']], { mark: 'columns' }, 'columns need bins of time'],
    [
      'with a flag of another value',
      [['2025-01-01', 1, 'a']],
      { partial: 'name' },
      'name has to be 0 or 1: in row 1, it is "a"',
    ],
    [
      'with too many series',
      Array.from({ length: 9 }, (_, i) => ['2025-01-01', i, `s${i}`]),
      { series: 'name' },
      'there are 9 series, and a chart shows at most 8',
    ],
    [
      'with too many bars',
      Array.from({ length: 61 }, (_, i) => [`n${i}`, i, '']),
      { mark: 'bars' },
      'there are 61 bars, and a chart shows at most 60',
      'limit 20',
    ],
    [
      'with too many rows',
      Array.from({ length: 10_001 }, (_, i) => [i, i, '']),
      { mark: 'points' },
      'there are more than 10,000 rows',
    ],
    [
      'as a heatmap without numbers',
      [['2025-01-01', 1, 'a']],
      { mark: 'heatmap' },
      'a heatmap needs a column of numbers',
    ],
  ])('%s', (_, rows, spec, message, hint = '') => {
    expect(() => read(rows, spec)).toThrow(UsageError);
    expect(() => read(rows, spec)).toThrow(message);
    expect(() => read(rows, spec)).toThrow(
      expect.objectContaining({ hint: expect.toSatisfy((text: unknown) => String(text).includes(hint)) as unknown }),
    );
  });

  test('with nothing to draw, which is no wrong use', () => {
    for (const rows of [[], [['2025-01-01', null, 'a']]]) {
      expect(() => read(rows)).toThrow(TrawlError);
      expect(() => read(rows)).not.toThrow(UsageError);
      expect(() => read(rows)).toThrow('there is nothing to draw');
    }
  });

  test('without reading more rows than it can show', () => {
    function* count(): Generator<unknown[]> {
      for (let i = 0; ; i += 1) yield [i, i];
    }
    expect(() => readPoints({ columns: ['a', 'b'], rows: count() }, { mark: 'points', x: 'a', y: 'b' })).toThrow(
      '10,000 rows',
    );
  });
});

test('points are in the order of x, and integers of SQLite are numbers', () => {
  const set = read(
    [
      ['2025-01-02', 2n, 'b'],
      ['2025-01-01', 1n, 'a'],
      ['2025-01-03', null, 'a'],
    ],
    { series: 'name' },
  );
  expect(set).toMatchObject({ xKind: 'time', series: ['b', 'a'] });
  expect(set.points.map(({ y, series }) => [y, series])).toEqual([
    [1, 1],
    [2, 0],
    [null, 1],
  ]);
});

test('integers of columns of times are milliseconds since the epoch', () => {
  const rows = [[1_736_121_600_000n, 1n]];
  const kind = (x: string): string => readPoints({ columns: [x, 'n'], rows }, { mark: 'line', x, y: 'n' }).xKind;
  expect(kind('created_at')).toBe('time');
  expect(kind('created_ms')).toBe('time');
  expect(kind('likes')).toBe('number');
});

test.each([
  ['2025', '2025-01-01T00:00:00.000Z', 'year'],
  ['2025-03', '2025-03-01T00:00:00.000Z', 'month'],
  ['2025-03-04', '2025-03-04T00:00:00.000Z', 'day'],
  ['2025-03-04 05:06:07', '2025-03-04T05:06:07.000Z', 'time'],
  ['2025-03-04T05:06:07.089Z', '2025-03-04T05:06:07.089Z', 'time'],
  ['2025-03-04T05:06+02:30', '2025-03-04T02:36:00.000Z', 'time'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z', 'day'],
])('the time %s is %s', (text, iso, precision) => {
  expect(parseIsoTime(text)).toEqual({ ms: Date.parse(iso), precision });
});

test.each(['2025-02-29', '2025-13', '2025-1-1', '25', '2025-01-01 25:00', '2025-01-01T10:61', 'today', ''])(
  '%j is no time',
  (text) => {
    expect(parseIsoTime(text)).toBeUndefined();
  },
);

test('the period of bins is the longest that all times begin', () => {
  const infer = (...texts: string[]): string | undefined =>
    inferPeriod(
      texts.map((text) => parseIsoTime(text)!.ms),
      parseIsoTime(texts[0]!)!.precision,
    );
  expect(infer('2024', '2025')).toBe('year');
  expect(infer('2024-01', '2024-03')).toBe('month');
  expect(infer('2025-01-06', '2025-01-20')).toBe('week');
  expect(infer('2025-01-06', '2025-01-07')).toBe('day');
  expect(infer('2025-01-06 01:00', '2025-01-06 03:00')).toBe('hour');
  expect(infer('2025-01-06 01:02', '2025-01-06 03:00')).toBeUndefined();
  expect(infer('2025')).toBe('year');
  expect(infer('2025-01')).toBe('month');
  expect(infer('2025-01-06')).toBe('day');
  expect(infer('2025-01-06 12:00')).toBe('hour');
});

describe('what a user does not say', () => {
  const complete = (columns: string[], rows: unknown[][], options = {}) => {
    const { data, spec } = completeSpec({ columns, rows }, options);
    return { spec, columns: data.columns, rows: [...data.rows] };
  };

  test('is the first column along the chart, the numbers, and the mark that suits them', () => {
    expect(complete(['at', 'n'], [['2025-01-01', 1n]]).spec).toMatchObject({ mark: 'line', x: 'at', y: 'n' });
    expect(complete(['name', 'n'], [['a', 1.5]]).spec).toMatchObject({ mark: 'bars', x: 'name', y: 'n' });
    expect(complete(['a', 'b'], [[1n, 1n]]).spec).toMatchObject({ mark: 'points', x: 'a', y: 'b' });
    expect(complete(['at', 'text', 'n', 'is_partial'], [['2025', 'x', 1n, 0n]]).spec).toMatchObject({
      y: 'n',
      partial: 'is_partial',
    });
  });

  test('makes series of several columns of numbers', () => {
    const { spec, rows } = complete(
      ['day', 'likes', 'replies', 'name'],
      [
        ['2025-01-01', 1n, null, 'x'],
        ['2025-01-02', 3n, 4n, 'x'],
      ],
    );
    const set = readPoints(
      {
        columns: complete(
          ['day', 'likes', 'replies', 'name'],
          [
            ['2025-01-01', 1n, null, 'x'],
            ['2025-01-02', 3n, 4n, 'x'],
          ],
        ).columns,
        rows: rows as unknown[][],
      },
      spec,
    );
    expect(set.series).toEqual(['likes', 'replies']);
    expect(set.points.map(({ y, series }) => [series, y])).toEqual([
      [0, 1],
      [1, null],
      [0, 3],
      [1, 4],
    ]);
  });

  test('is asked for where it is not clear', () => {
    expect(() => complete(['day', 'a', 'b', 'who'], [['2025-01-01', 1n, 2n, 'x']], { series: 'who' })).toThrow(
      'several columns of numbers: a, b',
    );
    expect(() => complete(['day', 'who'], [['2025-01-01', 'x']])).toThrow('there is no column of numbers');
    expect(() => complete(['day', 'n'], [['2025-01-01', 1n]], { y: ['n', 'm'] })).toThrow('there is no column m');
  });

  test('is the second column and the numbers for a heatmap', () => {
    const { spec } = complete(['hour', 'weekday', 'tweets'], [[1n, 2n, 3n]], { mark: 'heatmap' });
    expect(spec).toMatchObject({ x: 'hour', y: 'weekday', value: 'tweets' });
  });
});
