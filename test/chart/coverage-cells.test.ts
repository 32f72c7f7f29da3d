import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AxisSegment, divideIntoCells } from '#files/chart/coverage-cells.ts';

const AXIS = { from: 0, to: 100 };
const segment = (from: number, to: number, state: AxisSegment['state'], more: Partial<AxisSegment> = {}) => ({
  from,
  to,
  state,
  ...more,
});
const draw = (segments: readonly AxisSegment[], count = 10, range = AXIS): string =>
  divideIntoCells(range, segments, count)
    .map(
      (state) =>
        ({ complete: '#', partly: '%', gap: '.', searched: '-', unknown: '?', pruned: 'x', outside: ' ' })[state],
    )
    .join('');

describe('the cells of an axis', () => {
  it('show pruned times, unless others share the cell', () => {
    const pruned = segment(0, 35, 'pruned');
    expect(draw([pruned, segment(35, 60, 'gap'), segment(60, 100, 'complete')])).toBe('xxx...####');
  });

  it('show a gap without length', () => {
    expect(draw([segment(0, 45, 'complete'), segment(45, 45, 'gap'), segment(45, 100, 'complete')])).toBe('####%#####');
    expect(draw([segment(0, 40, 'complete'), segment(40, 40, 'gap'), segment(40, 100, 'complete')])).toBe('####%#####');
  });

  it('are not complete beyond the last check', () => {
    expect(draw([segment(0, 45, 'complete')])).toBe('####%     ');
    expect(draw([segment(20, 45, 'gap')])).toBe('  ...     ');
  });

  it('show searched parts of gaps, which are not complete', () => {
    const gap = segment(0, 60, 'gap', { searched: [{ from: 10, to: 35 }] });
    expect(draw([gap, segment(60, 100, 'complete')])).toBe('.--...####');
  });

  it('exist for an axis without length', () => {
    expect(draw([segment(5, 5, 'gap')], 3, { from: 5, to: 5 })).toHaveLength(3);
  });

  it('are complete if, and only if, all of their time is', () => {
    const segments = fc.array(fc.tuple(fc.nat(30), fc.constantFrom('complete', 'gap', 'unknown')), { minLength: 1 });
    fc.assert(
      fc.property(segments, fc.integer({ min: 1, max: 200 }), (parts, count) => {
        let at = 0;
        const all = parts.map(([length, state]) => segment(at, (at += length), state as AxisSegment['state']));
        fc.pre(at > 0);
        const states = divideIntoCells({ from: 0, to: at }, all, count);
        const expected = states.map((_, i) => {
          const [from, to] = [(at * i) / count, (at * (i + 1)) / count];
          const inside = all.filter((one) => one.from < to && (one.from === one.to ? one.from >= from : one.to > from));
          const complete = inside.filter((one) => one.state === 'complete').length;
          return complete === inside.length ? 'complete' : complete > 0 ? 'partly' : 'other';
        });
        expect(states.map((state) => (state === 'complete' || state === 'partly' ? state : 'other'))).toEqual(expected);
      }),
    );
  });
});
