import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { runInContext } from '#cli/context.ts';
import { createProgressLine, printAboveProgress } from '#cli/terminal/output.ts';

/** What is written to stderr by a progress line with a note above it. */
async function write(terminal: { readonly isTTY?: boolean; readonly columns?: number }, isQuiet = false) {
  const stderr = Object.assign(new PassThrough(), terminal);
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr };
  const context = { env: {}, cwd: '/', streams, signal: new AbortController().signal, argv: [], exitCode: 0, isQuiet };
  await runInContext(context, async () => {
    let now = 0;
    using line = await createProgressLine({ now: () => now });
    for (let page = 1; page <= 3; page++) {
      now += 5000;
      line.show(`${page} of 3 pages · 10 requests/s`);
    }
    printAboveProgress('a note');
    now += 1;
    line.show('too soon');
    now += 5000;
    line.show('the last line');
  });
  return (stderr.read() as Buffer | null)?.toString() ?? '';
}

test('a terminal shows the last line only, in whole parts, and notes above it', async () => {
  const text = await write({ isTTY: true, columns: 20 });
  // Each line is erased before the next one, and the last one at the end.
  const shown = text.split('\u001B[2K').map((part) => stripVTControlCharacters(part).trim());
  expect(shown.filter(Boolean)).toEqual(['1 of 3 pages', '2 of 3 pages', '3 of 3 pages', 'a note\nthe last line']);
  expect(text).not.toContain('requests/s');
  expect(text).not.toContain('\u001B[?25l');
});

test('elsewhere it is printed line by line, every 5 s; quiet prints nothing', async () => {
  expect(await write({})).toBe(
    `${[1, 2, 3].map((page) => `${page} of 3 pages · 10 requests/s\n`).join('')}a note\nthe last line\n`,
  );
  expect(await write({ isTTY: true }, true)).toBe('');
});
