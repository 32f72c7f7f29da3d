import { expect, it } from 'vitest';
import { wrapProse } from '../../src/cli/help.ts';

it('help wraps prose to the width of a terminal, and leaves what is indented as it is', () => {
  const long = 'word '.repeat(30).trim();
  const example = `  trawl sql "${'x'.repeat(100)}"`;
  const [first, second, blank, ...rest] = wrapProse(`${long}\n\nExamples:\n${example}\n`).split('\n');
  expect(first!.length).toBeLessThanOrEqual(80);
  expect(`${first} ${second}`).toBe(long);
  expect([blank, ...rest]).toEqual(['', 'Examples:', example, '']);
});

it('lines of one paragraph flow together', () => {
  expect(wrapProse('One line\nand another.\n  $ example')).toBe('One line and another.\n  $ example');
});
