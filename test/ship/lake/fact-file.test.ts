import { readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createFactFile } from '#lake/files/fact-file.ts';
import { createSeededGenerator } from '../../../bench/workload.ts';
import { readParquet } from '../../support/tables.ts';
import { tempFile } from '../../support/temp.ts';

const PAGE = 100;

test('an edge takes less than nine bytes, even if no id repeats', async () => {
  const seed = 11;
  const random = createSeededGenerator(seed);
  const digits = (count: number): string => String(random.below(10 ** count)).padStart(count, '0');
  const createId = (): string => `${1 + random.below(9)}${digits(9)}${digits(9)}`;
  // Three row groups of 32 lists, whose pages take turns.
  const owners = Array.from({ length: 32 }, createId);
  const pages = Array.from({ length: 800 }, (_, page) => ({
    entry: page + 1,
    at: 17e11 + page,
    owner: owners[page % owners.length]!,
    members: Array.from({ length: PAGE }, createId),
  }));
  const path = tempFile('edges.parquet');
  const file = await createFactFile(path, 'edge_sightings', {});
  for (const { entry, at, owner, members } of pages)
    await file.add(
      ['a store', entry, entry % owners.length],
      members.map((member) => [at, 'followers', owner, member, null]),
    );
  await file.finish();

  expect(statSync(path).size / (pages.length * PAGE), `seed ${seed}`).toBeLessThan(9);
  const { columns, rows } = await readParquet(readFileSync(path));
  const [owner, member] = ['owner_rest_id', 'member_rest_id'].map((name) => columns.indexOf(name));
  expect(rows.map((row) => `${String(row[owner!])} ${String(row[member!])}`).join('\n')).toBe(
    pages.flatMap((page) => page.members.map((id) => `${page.owner} ${id}`)).join('\n'),
  );
});
