import { writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { openTargetFile } from '#analysis/crawl-targets.ts';
import { ADA, createKnownStore } from '../export/support.ts';
import { runSuccessfully } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';

const LINES = ['# two accounts\n', `id:${ADA}\r`, '\n', '\n@B', 'ob\n'];

/** A producer that has nothing to read at first, nor between its parts: lines are cut anywhere. */
async function* produceSlowly(parts: readonly (string | Buffer)[]): AsyncGenerator<string | Buffer> {
  for (const part of parts) {
    await new Promise(setImmediate);
    yield part;
  }
}

test.each([
  ['plan', 'profile'],
  ['enqueue', 'profile', '--yes'],
  ['export', 'users', '-o', '-'],
  ['panel', 'add', 'stars'],
  ['forget', '--dry-run'],
  ['recheck', 'tweets', '--dry-run'],
  ['prune', 'tweets', '--older-than', '1d', '--dry-run'],
])('%s %s --from-file - waits for a slow producer', async (...args) => {
  const file = tempFile('targets.txt');
  writeFileSync(file, LINES.join(''));
  const run = async (source: string): Promise<string> => {
    const db = createKnownStore();
    await runSuccessfully(['panel create stars --db', db]);
    const stdin = produceSlowly(LINES);
    return (await runSuccessfully([...args, '--from-file', source, '--db', db], { stdin })).stdout
      .replaceAll(db, '')
      .replaceAll(/\d{2}:\d{2}Z/g, '');
  };
  expect(await run('-')).toBe(await run(file));
});

test.each(['1', '65536', '65537'])('characters are whole in parts of %s bytes', async (size) => {
  const bytes = Buffer.from('žluťoučký 👩‍👩‍👧‍👦\n'.repeat(3000));
  const parts = Array.from({ length: Math.ceil(bytes.length / Number(size)) }, (_, i) =>
    bytes.subarray(i * Number(size), (i + 1) * Number(size)),
  );
  const targets = [...(await openTargetFile('-', Readable.from(parts)))];
  expect(targets).toEqual(Array.from({ length: 3000 }, () => 'žluťoučký 👩‍👩‍👧‍👦'));
});

test('input that breaks off is an error, not the end', async () => {
  const stdin = new Readable({ read() {} });
  stdin.push('nasa\n');
  stdin.destroy(new Error('the producer is gone'));
  await expect(openTargetFile('-', stdin)).rejects.toThrow(
    'cannot read the targets in standard input: the producer is gone',
  );
});
