import { readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createFactFile, type FactLine, readFactFile } from '#lake/files/fact-file.ts';
import { createSeededGenerator } from '../../../bench/workload.ts';
import { tempFile } from '../../support/temp.ts';

const PAGE = 100;

/** Writes pages of random edges. Returns the path, and the lines. */
async function writeEdges(seed: number) {
  const random = createSeededGenerator(seed);
  const digits = (count: number): string => String(random.below(10 ** count)).padStart(count, '0');
  const createId = (): string => `${1 + random.below(9)}${digits(9)}${digits(9)}`;
  // 32 lists, whose pages take turns.
  const owners = Array.from({ length: 32 }, createId);
  const lines = Array.from({ length: 800 }, (_, page): FactLine => {
    const owner = owners[page % owners.length]!;
    const members = Array.from({ length: PAGE }, () => [17e11 + page, 'followers', owner, createId()]);
    return { entry: page + 1, crawlId: page % owners.length, facts: { edge_sightings: members } };
  });
  const path = tempFile('facts.jsonl.br');
  const file = createFactFile(path, 'a store');
  for (const { entry, crawlId, facts } of lines) await file.add(entry, crawlId, JSON.stringify(facts));
  await file.finish();
  return { path, lines };
}

async function read(content: Uint8Array, ...of: [store: string, tables?: string[]]): Promise<FactLine[]> {
  const lines: FactLine[] = [];
  for await (const line of readFactFile(content, ...of)) lines.push(line);
  return lines;
}

test('an edge takes at most twelve bytes, even if no id repeats', async () => {
  const seed = 11;
  const { path, lines } = await writeEdges(seed);
  expect(statSync(path).size / (lines.length * PAGE), `seed ${seed}`).toBeLessThan(12);
  expect(await read(readFileSync(path), 'a store')).toEqual(lines);
  expect(await read(readFileSync(path), 'a store', ['erasures'])).toEqual([]);
});

test('a file of another store, or with missing or changed bytes, is no file of facts', async () => {
  const { path } = await writeEdges(12);
  const content = readFileSync(path);
  await expect(read(content, 'another store')).rejects.toThrow('it has facts of the store a store');
  await expect(read(content.subarray(0, content.length - 1), 'a store')).rejects.toThrow('unexpected end of file');
  // Brotli itself does not notice one changed bit of eight.
  const random = createSeededGenerator(13);
  for (let n = 0; n < 40; n += 1) {
    const changed = Uint8Array.from(content);
    const [at, bit] = [random.below(content.length), random.below(8)];
    changed[at]! ^= 1 << bit;
    await expect(read(changed, 'a store'), `bit ${bit} of byte ${at}`).rejects.toBeInstanceOf(Error);
  }
});
