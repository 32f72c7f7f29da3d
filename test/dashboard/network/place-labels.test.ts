import fc from 'fast-check';
import { expect, test } from 'vitest';
import { placeLabels } from '../../../src/web/pages/network/picture/place-labels.ts';

const [WIDTH, HEIGHT] = [600, 400];
const measure = (text: string): number => 7 * text.length;

test('labels cover neither each other nor the edge of the picture', () => {
  const candidate = fc.record({
    text: fc.string({ minLength: 1, maxLength: 40 }),
    x: fc.double({ min: -50, max: WIDTH + 50, noNaN: true }),
    y: fc.double({ min: -50, max: HEIGHT + 50, noNaN: true }),
    radius: fc.double({ min: 1, max: 30, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(candidate, { maxLength: 60 }), (list) => {
      const candidates = list.map((one, node) => ({ ...one, node }));
      const labels = placeLabels(candidates, { width: WIDTH, height: HEIGHT, most: 25, measure });
      expect(labels.length).toBeLessThanOrEqual(25);
      const boxes = labels.map(({ text, x, y }) => ({ left: x, right: x + measure(text), top: y - 6, bottom: y + 6 }));
      for (const [i, a] of boxes.entries()) {
        expect(a.left >= 0 && a.right <= WIDTH && a.top >= 0 && a.bottom <= HEIGHT).toBe(true);
        for (const b of boxes.slice(i + 1))
          expect(a.left >= b.right || b.left >= a.right || a.top >= b.bottom || b.top >= a.bottom).toBe(true);
      }
    }),
  );
});

test('labels of nodes in one place are on all sides, in the order of the nodes', () => {
  const at = { x: 200, y: 200, radius: 5 };
  const candidates = ['first', 'second', 'third', 'fourth', 'fifth'].map((text, node) => ({ ...at, node, text }));
  const labels = placeLabels(candidates, { width: WIDTH, height: HEIGHT, most: 25, measure });
  expect(labels.map(({ node }) => node)).toEqual([0, 1, 2, 3]);
  const [right, left, below, above] = labels;
  expect(right!.x).toBeGreaterThan(205);
  expect(left!.x + measure('second')).toBeLessThan(195);
  expect(below!.y).toBeGreaterThan(205);
  expect(above!.y).toBeLessThan(195);
});

test('a long label is cut between characters that a reader sees', () => {
  const family = '👨‍👩‍👧‍👦';
  const [label] = placeLabels([{ node: 0, text: family.repeat(30), x: 10, y: 200, radius: 4 }], {
    ...{ width: 10_000, height: HEIGHT, most: 1, measure },
  });
  expect(label!.text).toBe(`${family.repeat(23)}…`);
});
