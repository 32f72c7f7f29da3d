import { expect, it } from 'vitest';
import { wrapIndented, wrapProse } from '#cli/terminal/wrap.ts';

it("help wraps prose to the terminal's width and does not change indented lines", () => {
  const long = 'word '.repeat(30).trim();
  const example = `  trawl sql "${'x'.repeat(100)}"`;
  const [first, second, blank, ...rest] = wrapProse(`${long}\n\nExamples:\n${example}\n`).split('\n');
  expect(first!.length).toBeLessThanOrEqual(80);
  expect(`${first} ${second}`).toBe(long);
  expect([blank, ...rest]).toEqual(['', 'Examples:', example, '']);
});

it('lines of one paragraph are joined', () => {
  expect(wrapProse('One line\nand another.\n  $ example')).toBe('One line and another.\n  $ example');
});

it('a command in backticks is not broken, so that it can be copied', () => {
  const command = '`trawl crawl timeline nasa --since 2025-01-01 --max-pages 3`';
  const lines = wrapProse(`It ended because of this, that and something else: ${command} goes on.`).split('\n');
  expect(lines.every((line) => line.length <= 80)).toBe(true);
  expect(lines.some((line) => line.includes(command))).toBe(true);
});

it('sentences are indented and wrapped separately; lists do not change', () => {
  const list = `  ${'/data/x '.repeat(15).trim()}`;
  const [first, second, third, fourth] = wrapIndented(`${'word '.repeat(20).trim()}\n${list}\nshort`).split('\n');
  expect([first!.length <= 80, first!.slice(0, 6), second!.slice(0, 6)]).toEqual([true, '  word', '  word']);
  expect([third, fourth]).toEqual([`  ${list}`, '  short']);
});
