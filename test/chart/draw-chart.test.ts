import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ChartSpec } from '#analysis/queries/chart-spec.ts';
import { DAY } from '#base/clock.ts';
import { CHART_EXAMPLES } from './examples.ts';
import { drawRows, findAll, listShapes, listTexts, type ParsedElement, parseSvg } from './parse-svg.ts';

const day = (i: number): string => new Date(Date.UTC(2025, 0, 6) + i * DAY).toISOString().slice(0, 10);

const number = (element: ParsedElement, name: string): number => Number(element.attributes[name]);

/** Texts that people give to accounts to break programs, and those that break them by accident. */
const HOSTILE = [
  `<script>alert("1")</script> & 'co' ]]> <!--`,
  'two\nlines\tand\r\ncontrols \u0000\u0007\u001b[31m\u007f\u0085\u2028',
  '"/><image href="http://evil.example/x" onload="alert(1)',
  'lone \ud800 surrogate and \ufffe \uffff',
  '\u202ereversed\u202c \u2066isolated\u2069',
  'url(#x) var(--y)',
  `Z${'\u0351\u0321'.repeat(200)}algo`,
];

const COLUMNS: ChartSpec = { mark: 'columns', x: 'day', y: 'tweets' };
const LINE: ChartSpec = { mark: 'line', x: 'day', y: 'followers' };

/** Every form of a chart, with hostile names in all places. */
function listHostileCharts(): [name: string, rows: unknown[][], spec: ChartSpec][] {
  const [title, label] = HOSTILE as [string, string];
  const labels = { title, xLabel: label, yLabel: HOSTILE[2] };
  const overTime = HOSTILE.flatMap((name, i) => [0, 1, 2].map((d) => [day(d), i + d, name, d === 0 ? 1 : 0]));
  const named = HOSTILE.map((name, i) => [name, i, 'one series', 0]);
  return [
    ['line', overTime, { mark: 'line', x: 'a', y: 'b', series: 'c', partial: 'd', period: 'day', ...labels }],
    ['columns', overTime, { mark: 'columns', x: 'a', y: 'b', series: 'c', partial: 'd', ...labels }],
    ['categories', named, { mark: 'columns', x: 'a', y: 'b', ...labels }],
    ['bars', named, { mark: 'bars', x: 'a', y: 'b', series: 'c', ...labels }],
    ['points', overTime, { mark: 'points', x: 'a', y: 'b', series: 'c', ...labels }],
    ['heatmap', overTime, { mark: 'heatmap', x: 'a', y: 'c', value: 'b', partial: 'd', ...labels }],
  ];
}

describe.each(['file', 'page'] as const)('a chart of the theme %s', (theme) => {
  test.each(listHostileCharts())('is a self-contained image for any text: %s', async (_, rows, spec) => {
    const { svg, picture } = await drawRows(['a', 'b', 'c', 'd'], rows, spec, { theme, width: 640 });
    expect(picture.attributes).toMatchObject({ role: 'img', xmlns: 'http://www.w3.org/2000/svg', width: '640' });
    const { width, height, viewBox } = picture.attributes;
    expect(viewBox).toBe(`0 0 ${width} ${height}`);
    const [title, description] = picture.attributes['aria-labelledby']!.split(' ');
    expect(findAll(picture, 'title')[0]).toMatchObject({
      attributes: { id: title },
      text: expect.stringMatching(/\S/),
    });
    expect(findAll(picture, 'desc')[0]).toMatchObject({ attributes: { id: description } });
    // The elements that charts consist of: no script, link, image, or style beside that of the colours.
    const names = new Set([picture, ...listAll(picture)].map(({ name }) => name));
    const allowed = ['svg', 'title', 'desc', 'style', 'defs', 'pattern', 'g', 'rect', 'path', 'line', 'text', 'tspan'];
    expect([...names].filter((name) => !allowed.includes(name))).toEqual([]);
    const attributes = listAll(picture).flatMap((element) => Object.entries(element.attributes));
    expect(attributes.filter(([name]) => /^on|href|^src$|^style$/.test(name))).toEqual([]);
    // Every reference leads to an element of the picture.
    const ids = new Set(attributes.filter(([name]) => name === 'id').map(([, value]) => value));
    const references = [...svg.matchAll(/="url\(#([^)]*)\)"/g)].map(([, id]) => id);
    expect(references.filter((id) => !ids.has(id!))).toEqual([]);
    expect(ids.size).toBe(attributes.filter(([name]) => name === 'id').length);
    // oxlint-disable-next-line no-control-regex -- XML cannot contain these.
    expect(svg).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069\ufffe\uffff]|&#\d/);
    expect(svg.isWellFormed()).toBe(true);
    // A name of 400 marks is cut.
    expect(Math.max(...[...svg.matchAll(/\p{M}+/gu)].map(([marks]) => marks.length))).toBeLessThanOrEqual(4);
  });
});

const listAll = (element: ParsedElement): ParsedElement[] =>
  element.children.flatMap((child) => [child, ...listAll(child)]);

test('the same data is drawn the same; other data has other ids', async () => {
  const rows = [
    [day(0), 3n],
    [day(1), 5n],
  ];
  const { svg } = await drawRows(['day', 'tweets'], rows, COLUMNS);
  expect((await drawRows(['day', 'tweets'], rows, COLUMNS)).svg).toBe(svg);
  const other = await drawRows(['day', 'tweets'], [[day(0), 4n]], COLUMNS);
  expect(other.picture.attributes['id']).not.toBe(parseSvg(svg).attributes['id']);
  const named = await drawRows(['day', 'tweets'], rows, COLUMNS, { id: 'growth' });
  expect(named.picture.attributes['id']).toBe('growth');
});

describe('colours', () => {
  const rows = [[day(0), 3n]];

  test('of a file are those of the light scheme, with a style sheet for the dark one', async () => {
    const { svg, picture } = await drawRows(['day', 'tweets'], rows, COLUMNS);
    expect(svg).not.toContain('var(');
    const [style] = findAll(picture, 'style');
    const rules = /^@media screen and \(prefers-color-scheme:dark\)\{(.*)\}$/.exec(style!.text)![1]!;
    const selectors = [...rules.matchAll(/#([\w-]+) \.([\w-]+)\{(?:fill|stroke):#[0-9a-f]{6}\}/g)];
    expect(rules).toBe(selectors.map(([rule]) => rule).join(''));
    const classes = listAll(picture).flatMap((element) => element.attributes['class']?.split(' ') ?? []);
    expect(new Set(selectors.map(([, , name]) => name))).toEqual(new Set(classes));
    expect(new Set(selectors.map(([, id]) => id))).toEqual(new Set([picture.attributes['id']]));
    for (const element of listAll(picture)) {
      for (const property of ['fill', 'stroke']) {
        expect(element.attributes[property] ?? 'none').toMatch(/^(none|#[0-9a-f]{6}|url\(#.*\))$/);
      }
    }
  });

  test('of a page are its variables, and it has no style of its own', async () => {
    const { picture } = await drawRows(['day', 'tweets'], rows, COLUMNS, { theme: 'page' });
    expect(findAll(picture, 'style')).toEqual([]);
    const colors = listAll(picture).flatMap(({ attributes }) => [
      attributes['fill'] ?? 'none',
      attributes['stroke'] ?? 'none',
    ]);
    expect(colors.filter((color) => !/^(none|var\(--chart-[a-z0-9-]+\)|url\(#.*\))$/.test(color))).toEqual([]);
  });
});

describe('columns', () => {
  test('have heights in proportion to their values, from zero', async () => {
    const values = [10, 25, 40, 0];
    const { picture } = await drawRows(
      ['day', 'tweets'],
      values.map((value, i) => [day(i), value]),
      COLUMNS,
    );
    const shapes = listShapes(picture, 'rect');
    const rects = values.map((value, i) => shapes.get(`${day(i)}: ${value}`)!);
    const bottoms = rects.map((rect) => number(rect, 'y') + number(rect, 'height'));
    for (const bottom of bottoms) expect(bottom).toBeCloseTo(bottoms[0]!, 1);
    const unit = number(rects[0]!, 'height') / 10;
    for (const [i, value] of values.entries()) expect(number(rects[i]!, 'height')).toBeCloseTo(value * unit, 0);
    const steps = rects.slice(1).map((rect, i) => number(rect, 'x') - number(rects[i]!, 'x'));
    for (const step of steps) expect(step).toBeCloseTo(steps[0]!, 1);
  });

  test('have no place for what was not observed, and stripes where it was in part', async () => {
    const rows = [
      [day(0), 10, 1],
      [day(1), null, 1],
      [day(2), 0, 0],
      [day(3), 5, null],
      [day(4), null, 0],
    ];
    const { picture } = await drawRows(['day', 'tweets', 'is_partial'], rows, { ...COLUMNS, partial: 'is_partial' });
    expect([...listShapes(picture, 'rect').keys()]).toEqual([
      `${day(0)}: 10 (in part)`,
      `${day(2)}: 0`,
      `${day(3)}: 5`,
    ]);
    expect(listTexts(picture)).toEqual(
      expect.arrayContaining(['not observed', 'no value', 'not observed from start to end']),
    );
    const id = picture.attributes['id']!;
    const hatched = findAll(picture, 'rect').filter(({ inherited }) => inherited['fill'] === `url(#${id}-partial)`);
    // The one in the legend, and the column.
    expect(hatched).toHaveLength(2);
    expect(findAll(picture, 'desc')[0]!.text).toContain(
      'Not observed: 1 of 5 values. No value: 1 of 5. Observed in part: 1 of 5 values.',
    );
  });

  test('of several series are on top of each other, gains above zero and losses below', async () => {
    const rows = [
      ['gained', 30],
      ['lost', -10],
      ['returned', 5],
    ].map(([name, value]) => [day(0), value, name]);
    const { picture } = await drawRows(['day', 'accounts', 'change'], rows, {
      ...COLUMNS,
      y: 'accounts',
      series: 'change',
    });
    const shapes = listShapes(picture, 'rect');
    const [gained, lost, returned] = ['gained', 'lost', 'returned'].map(
      (name) => [...shapes].find(([title]) => title.startsWith(name))![1],
    );
    const bottom = (rect: ParsedElement): number => number(rect, 'y') + number(rect, 'height');
    expect(bottom(returned!)).toBeCloseTo(number(gained!, 'y'), 1);
    expect(number(lost!, 'y')).toBeCloseTo(bottom(gained!), 1);
    expect(number(gained!, 'height') / number(lost!, 'height')).toBeCloseTo(3, 1);
    // The textures of the second and the third series.
    expect(findAll(picture, 'pattern')).toHaveLength(2);
  });

  test('of integers show holes between them', async () => {
    const rows = [0, 1, 5].map((hour) => [hour, 3]);
    const { picture } = await drawRows(['hour', 'tweets'], rows, { mark: 'columns', x: 'hour', y: 'tweets' });
    const [first, second, third] = [...listShapes(picture, 'rect').values()].map((rect) => number(rect, 'x'));
    expect(third! - second!).toBeCloseTo(4 * (second! - first!), 0);
  });
});

describe('lines', () => {
  const linesOf = (picture: ParsedElement): number[][] =>
    findAll(picture, 'path')
      .filter(({ attributes, inherited }) => inherited['stroke-width'] === '2' && attributes['d']!.includes('L'))
      .map(({ attributes }) => [...attributes['d']!.matchAll(/[ML]([\d.]+),/g)].map(([, x]) => Number(x)));

  test('break at null, and at bins that are missing; single values are marked', async () => {
    const values: [number, number | null][] = [
      [0, 5],
      [1, 6],
      [2, null],
      [3, 7],
      [5, 8],
      [6, 9],
      [7, 9],
    ];
    const rows = values.map(([i, value]) => [day(i), value]);
    const { picture } = await drawRows(['day', 'followers'], rows, { ...LINE, period: 'day' });
    expect(linesOf(picture).map((line) => line.length)).toEqual([2, 3]);
    expect(listShapes(picture, 'path').has(`${day(3)}: 7`)).toBe(true);
    const withoutPeriod = await drawRows(['day', 'followers'], rows, LINE);
    expect(linesOf(withoutPeriod.picture).map((line) => line.length)).toEqual([2, 4]);
  });

  test('have the names of their series in the legend, and dashes', async () => {
    const rows = ['first', 'second', 'third'].flatMap((name) => [
      [day(0), 100, name],
      [day(1), 200, name],
    ]);
    const { picture } = await drawRows(['day', 'followers', 'account'], rows, { ...LINE, series: 'account' });
    expect(listTexts(picture)).toEqual(expect.arrayContaining(['first', 'second', 'third']));
    const dashes = findAll(picture, 'line').map(({ attributes }) => attributes['stroke-dasharray']);
    expect(new Set(dashes).size).toBe(3);
  });

  test('shade bins that were observed in part', async () => {
    const rows = [0, 1, 2].map((i) => [day(i), 5 + i, i === 2 ? 1 : 0]);
    const spec: ChartSpec = { ...LINE, partial: 'is_partial' };
    const { picture } = await drawRows(['day', 'followers', 'is_partial'], rows, spec);
    const id = picture.attributes['id']!;
    const bands = findAll(picture, 'rect').filter(({ inherited }) => inherited['fill'] === `url(#${id}-stripes)`);
    expect(bands).toHaveLength(2);
    // The day is the last third of the axis.
    const widths = bands.map((band) => number(band, 'width'));
    expect(Math.max(...widths)).toBeGreaterThan(200);
  });

  test.each([
    [
      'a flat series',
      [
        [day(0), 1200],
        [day(1), 1200],
      ],
      ['1,199', '1,200', '1,201'],
    ],
    ['one value', [['2025-03-04T15:04:00Z', 7]], ['6', '7', '8']],
  ])('have an axis with ticks for %s', async (_, rows, ticks) => {
    const { picture } = await drawRows(['day', 'followers'], rows, LINE);
    expect(listTexts(picture).filter((text) => /^[\d,]+$/.test(text))).toEqual(ticks);
  });
});

test.each(['columns', 'lines', 'heatmap'])('the picture %s of the documentation is up to date', async (name) => {
  const { columns, rows, spec } = CHART_EXAMPLES.find((example) => example.name === name)!;
  const { svg } = await drawRows(columns, rows, spec, { id: `example-${name}` });
  const file = resolve(import.meta.dirname, `../../docs/charts/${name}.svg`);
  await expect(svg).toMatchFileSnapshot(file);
});

test('bars have the names and values of their rows, in their order', async () => {
  const rows = [
    ['ميناء الأخبار', 50],
    ['港のニュース速報', 100],
    ['ข่าวท่าเรือ', null],
    ['👩‍👩‍👧‍👦 family', 7.5],
  ];
  const { picture } = await drawRows(['name', 'followers'], rows, { mark: 'bars', x: 'name', y: 'followers' });
  const texts = listTexts(picture);
  expect(texts.filter((text) => rows.some(([name]) => name === text))).toEqual(rows.map(([name]) => name));
  expect(texts).toEqual(expect.arrayContaining(['50', '100', 'no value', '7.5', 'name', 'followers']));
  const [first, second] = [...listShapes(picture, 'rect').values()];
  expect(number(second!, 'width') / number(first!, 'width')).toBeCloseTo(2, 1);
  expect(number(second!, 'y')).toBeGreaterThan(number(first!, 'y'));
});

test('long names are cut between graphemes', async () => {
  const family = '👩‍👩‍👧‍👦';
  const rows = [
    [family.repeat(60), 1],
    ['e\u0301'.repeat(200), 2],
  ];
  const { picture } = await drawRows(['name', 'n'], rows, { mark: 'bars', x: 'name', y: 'n' });
  const cut = listTexts(picture).filter((text) => text.endsWith('…'));
  expect(cut).toHaveLength(2);
  for (const text of cut) expect(text).toMatch(new RegExp(`^(?:(?:${family})+|(?:e\u0301)+)…$`));
});

test('a heatmap has cells with their values, in rows that are in order', async () => {
  const rows = [
    [0, 10, 5],
    [1, 10, 9],
    [0, 9, 0],
    [1, 9, null],
  ];
  const spec: ChartSpec = { mark: 'heatmap', x: 'hour', y: 'week', value: 'tweets' };
  const { picture } = await drawRows(['hour', 'week', 'tweets'], rows, spec);
  const cells = listShapes(picture, 'rect');
  expect([...cells.keys()].toSorted()).toEqual(['10, 0: 5', '10, 1: 9', '9, 0: 0', '9, 1: no value']);
  expect(number(cells.get('9, 0: 0')!, 'y')).toBeLessThan(number(cells.get('10, 0: 5')!, 'y'));
  const shades = ['9, 1: no value', '9, 0: 0', '10, 0: 5', '10, 1: 9'].map(
    (title) => cells.get(title)!.inherited['fill'],
  );
  expect(new Set(shades).size).toBe(4);
  expect(listTexts(picture)).toEqual(expect.arrayContaining(['tweets', 'week', 'hour', '5', '9', '0', 'no value']));
});

test('times without a zone are UTC, and labels say so', async () => {
  const rows = [
    ['2025-01-06 23:30', 1],
    ['2025-01-08 00:30:00', 2],
  ];
  const { picture } = await drawRows(['at', 'n'], rows, { mark: 'line', x: 'at', y: 'n' });
  expect(listTexts(picture)).toContain('time (UTC)');
  expect(findAll(picture, 'desc')[0]!.text).toContain('From 2025-01-06 23:30 UTC to 2025-01-08 00:30 UTC.');
});
