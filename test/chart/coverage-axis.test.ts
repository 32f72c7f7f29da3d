import { describe, expect, it } from 'vitest';
import { DAY } from '#base/clock.ts';
import { type AxisList, drawCoverageAxis } from '#files/chart/coverage-axis.ts';
import { findAll, listTexts, parseSvg } from './parse-svg.ts';

const day = (n: number): number => Date.UTC(2020, 0, 1) + n * DAY;

const list = (parts: readonly (readonly [to: number, state: 'complete' | 'gap' | 'unknown'])[]): AxisList => ({
  label: 'Original tweets',
  axis: { from: day(0), to: day(parts.at(-1)![0]), isFromKnown: true },
  segments: parts.map(([to, state], i) => ({ from: day(i === 0 ? 0 : parts[i - 1]![0]), to: day(to), state })),
});

/** The width of each state in the bar, as shares. */
function measure(svg: string): Record<string, number> {
  const bar = findAll(parseSvg(svg), 'rect').filter(({ attributes }) => attributes['data-state'] !== undefined);
  const width = (name: string): number =>
    bar
      .filter(({ attributes }) => attributes['data-state'] === name)
      .reduce((sum, { attributes }) => sum + Number(attributes['width']), 0);
  const names = [...new Set(bar.map(({ attributes }) => attributes['data-state']!))];
  const whole = names.reduce((sum, name) => sum + width(name), 0);
  return Object.fromEntries(names.map((name) => [name, width(name) / whole]));
}

describe('the drawn axis of a list', () => {
  it.each([300, 860])('has the true scale at a width of %d', (width) => {
    const svg = drawCoverageAxis(
      list([
        [900, 'gap'],
        [1000, 'complete'],
      ]),
      { width },
    );
    const shares = measure(svg);
    const pixel = 1 / (width - 32);
    expect(shares['complete']).toBeGreaterThanOrEqual(0.1 - pixel);
    expect(shares['complete']).toBeLessThanOrEqual(0.1 + pixel);
    expect(shares['gap']).toBeGreaterThanOrEqual(0.9 - 2 * pixel);
  });

  it('shows thousands of short gaps as partly complete, in a small picture', () => {
    const parts = Array.from({ length: 20_000 }, (_, i) => [i + 1, i % 2 === 0 ? 'gap' : 'complete'] as const);
    const svg = drawCoverageAxis(list(parts));
    expect(measure(svg)).toEqual({ partly: 1 });
    expect(svg.length).toBeLessThan(10_000);
  });

  it('names its ends and the drawn states, and nothing else', () => {
    const texts = listTexts(
      parseSvg(
        drawCoverageAxis(
          list([
            [100, 'unknown'],
            [1000, 'complete'],
          ]),
        ),
      ),
    );
    expect(texts).toEqual(expect.arrayContaining(['Original tweets', 'created 2020-01-01', 'last check 2022-09-27']));
    expect(texts).toEqual(expect.arrayContaining(['complete', 'unknown']));
    expect(texts).not.toContain('gap');
  });

  it('describes itself to people who do not see it', () => {
    const picture = parseSvg(
      drawCoverageAxis(
        list([
          [100, 'gap'],
          [1000, 'complete'],
        ]),
      ),
    );
    expect(picture.attributes['role']).toBe('img');
    expect(findAll(picture, 'desc')[0]!.text).toBe(
      'From the creation of the account on 2020-01-01 to the last check on 2022-09-27: ' +
        'gap from 2020-01-01 to 2020-04-10, complete from 2020-04-10 to 2022-09-27.',
    );
  });

  it('sets an unknown past apart from the scale, unless the list is complete to its beginning', () => {
    const known = list([
      [0, 'gap'],
      [1000, 'complete'],
    ]);
    const open: AxisList = { ...known, axis: { ...known.axis, isFromKnown: false } };
    const texts = listTexts(parseSvg(drawCoverageAxis(open)));
    expect(texts).toEqual(expect.arrayContaining(['?', 'creation unknown, since 2020-01-01']));
    expect(measure(drawCoverageAxis(open))).toEqual({ complete: 1 });
    const complete: AxisList = { ...open, segments: open.segments.slice(1) };
    expect(listTexts(parseSvg(drawCoverageAxis(complete)))).not.toContain('?');
  });

  it('draws an axis without length, and a hostile name', () => {
    const nothing: AxisList = {
      label: '<script>alert(1)</script>\u202e & "quotes"',
      axis: { from: day(0), to: day(0), isFromKnown: false },
      segments: [],
    };
    const svg = drawCoverageAxis(nothing, { theme: 'page', id: 'one' });
    expect(listTexts(parseSvg(svg))[0]).toBe('<script>alert(1)</script> & "quotes"');
    expect(svg).not.toContain('<script');
    expect(findAll(parseSvg(svg), 'pattern').every(({ attributes }) => attributes['id']!.startsWith('one-'))).toBe(
      true,
    );
  });

  it('has different ids for different lists of a page', () => {
    const [a, b] = [list([[10, 'gap']]), list([[10, 'complete']])].map((one) => parseSvg(drawCoverageAxis(one)));
    expect(a!.attributes['id']).not.toBe(b!.attributes['id']);
  });
});
