import { statSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { createSeededGenerator } from '../../../bench/workload.ts';
import { createFactFile } from '../../../src/ship/lake/fact-file.ts';
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
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const read =
    await connection.runAndReadAll(`select entry, owner_rest_id, list(member_rest_id order by file_row_number)
    from read_parquet('${path}', file_row_number = true) group by all order by all`);
  expect(read.getRowsJson()).toEqual(pages.map(({ entry, owner, members }) => [String(entry), owner, members]));
});
