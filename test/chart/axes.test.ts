import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY } from '#base/clock.ts';
import { planNumericAxis, planTimeAxis } from '#files/chart/axis.ts';
import { planXAxis } from '#files/chart/plot/draw-xy.ts';

describe('an axis of numbers', () => {
  const labels = (values: readonly number[], includesZero = false, tickCount = 5): string[] =>
    planNumericAxis(values, includesZero, tickCount).ticks.map(({ label }) => label);

  test('has round ticks', () => {
    expect(labels([0, 97])).toEqual(['0', '20', '40', '60', '80', '100']);
    expect(labels([12_000, 98_000], true)).toEqual(['0', '20,000', '40,000', '60,000', '80,000', '100,000']);
    expect(labels([-30, 40.5], true, 4)).toEqual(['-40', '-20', '0', '20', '40', '60']);
  });

  test('counts in whole numbers, however few there are', () => {
    expect(labels([0, 1], true)).toEqual(['0', '1']);
    expect(labels([3, 5])).toEqual(['3', '4', '5']);
  });

  test('shows a flat series between its neighbours', () => {
    expect(labels([1200])).toEqual(['1,199', '1,200', '1,201']);
    expect(labels([0])).toEqual(['0', '1']);
    const [low, high] = planNumericAxis([0.5], false, 5).domain;
    expect(low < 0.5 && high > 0.5).toBe(true);
  });

  test('leaves zero out only where the values are far from it', () => {
    expect(planNumericAxis([1000, 1300], false, 5).domain[0]).toBe(1000);
    expect(planNumericAxis([1000, 9000], false, 5).domain[0]).toBe(0);
    expect(planNumericAxis([1000, 1300], true, 5).domain[0]).toBe(0);
  });

  test('property: encloses all values, and has few ticks with different labels', () => {
    const value = fc.oneof(
      fc.integer(),
      fc.double({ min: -1e100, max: 1e100, noNaN: true }).map((number) => (Math.abs(number) < 1e-100 ? 0 : number)),
      fc.integer({ max: 9, min: -9 }),
    );
    const list = fc.array(value, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(list, fc.boolean(), fc.integer({ min: 2, max: 12 }), (values, includesZero, count) => {
        const { domain, ticks } = planNumericAxis(values, includesZero, count);
        expect(domain[0]).toBeLessThanOrEqual(Math.min(...values) + Math.abs(domain[0]) * 1e-11);
        expect(domain[1]).toBeGreaterThanOrEqual(Math.max(...values) - Math.abs(domain[1]) * 1e-11);
        expect(!includesZero || (domain[0] <= 0 && domain[1] >= 0)).toBe(true);
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect(ticks.length).toBeLessThanOrEqual(1.5 * count + 3);
        expect(new Set(ticks.map(({ label }) => label)).size).toBe(ticks.length);
      }),
    );
  });
});

describe('an axis of times', () => {
  const at = (text: string): number => Date.parse(text);
  const labels = (...args: Parameters<typeof planTimeAxis>): string[] =>
    planTimeAxis(...args).ticks.map(({ label }) => label);

  test('has whole units of UTC, with the year or day where it changes', () => {
    expect(labels({ min: at('2024-11-20'), max: at('2025-02-18'), tickCount: 4 })).toEqual([
      'Dec\n2024',
      'Jan\n2025',
      'Feb',
    ]);
    expect(labels({ min: at('2025-03-01T20:00Z'), max: at('2025-03-02T05:00Z'), tickCount: 4 })).toEqual([
      '21:00\n1 Mar 2025',
      '00:00\n2 Mar 2025',
      '03:00',
    ]);
    const years = labels({ min: at('2019-05-01'), max: at('2025-05-01'), tickCount: 8 });
    expect(years).toEqual(['2020', '2021', '2022', '2023', '2024', '2025']);
  });

  test('shows one time with its day, in the middle', () => {
    const time = at('2025-03-04T15:04:05Z');
    expect(planTimeAxis({ min: time, max: time, tickCount: 8 })).toEqual({
      domain: [time - DAY / 2, time + DAY / 2],
      ticks: [{ at: time, label: '15:04:05\n4 Mar 2025' }],
    });
  });

  test('ends with the last bin, whose tick is in its middle', () => {
    expect(planTimeAxis({ min: at('2025-01-01'), max: at('2025-02-01'), period: 'month', tickCount: 8 })).toEqual({
      domain: [at('2025-01-01'), at('2025-03-01')],
      ticks: [
        { at: at('2025-01-16T12:00Z'), label: 'Jan\n2025' },
        { at: at('2025-02-15'), label: 'Feb' },
      ],
    });
  });

  test('has no ticks between weeks', () => {
    const min = at('2025-01-06');
    const { ticks } = planTimeAxis({ min, max: min + 70 * DAY, period: 'week', tickCount: 8 });
    expect(ticks.filter((tick) => (tick.at - min) % (7 * DAY) !== 0)).toEqual([]);
  });

  test('property: has at least two ticks and at most as many as fit, all inside', () => {
    const range = fc.tuple(
      fc.integer({ min: at('1990-01-01'), max: at('2060-01-01') }),
      fc.integer({ min: 1, max: 60 * 365 * DAY }),
    );
    fc.assert(
      fc.property(range, fc.integer({ min: 2, max: 14 }), ([min, length], tickCount) => {
        const { ticks, domain } = planTimeAxis({ min, max: min + length, tickCount });
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect(ticks.length).toBeLessThanOrEqual(tickCount);
        for (const tick of ticks) expect(tick.at >= domain[0] && tick.at <= domain[1]).toBe(true);
      }),
    );
  });
});

describe('an axis of categories', () => {
  const plan = (categories: readonly string[], width: number) =>
    planXAxis({ xKind: 'category', categories, points: [], series: [] } as never, { mark: 'columns' }, width);

  test('turns names that do not fit beside each other', () => {
    const names = Array.from({ length: 12 }, (_, i) => `a rather long name ${i}`);
    expect(plan(names, 2400).rotation).toBe(0);
    const turned = plan(names, 600);
    expect(turned.rotation).toBeLessThan(0);
    expect(turned.labelHeight).toBeGreaterThan(40);
    expect(turned.ticks).toHaveLength(12);
  });

  test('leaves some numbers out', () => {
    const hours = Array.from({ length: 24 }, (_, i) => `${String(i).padStart(2, '0')}:00`);
    const { ticks, rotation } = plan(hours, 400);
    expect(rotation).toBe(0);
    expect(ticks.map(({ label }) => label).slice(0, 2)).toEqual(['00:00', '03:00']);
  });
});
