import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createPseudonyms } from '#files/export/pseudonyms/pseudonyms.ts';
import { withWorld } from '../../e2e/support.ts';
import { openTables } from '../../support/tables.ts';
import { createDataset, findBrokenKeys, openDataset, readDataPackage } from './support.ts';

const world = withWorld(80, 9);
const PARTITIONS = 5;

const digestOf = (content: string | Uint8Array): Buffer => createHash('sha256').update(content).digest();

const OWNERS: Readonly<Record<string, string>> = {
  users: 'rest_id',
  tweets: 'author_rest_id',
  follows: 'follower_rest_id',
  hashtags: 'author_rest_id',
};

it.each([
  ['csv', undefined],
  ['parquet', createPseudonyms({ key: new Uint8Array(32), keepsText: false })],
] as const)('tables as %s are split by a hash of the exported id of the owner', async (format, pseudonyms) => {
  const folder = await createDataset(world.file, { format, pseudonyms, partitions: PARTITIONS });
  const ask = await openDataset(folder);
  const askWhole = await openDataset(await createDataset(world.file, { format, pseudonyms }));
  const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8');
  for (const { name, path } of readDataPackage(folder).resources) {
    const [rows, all] = [ask, askWhole].map((each) => each(`select * from ${name}`).map((row) => JSON.stringify(row)));
    expect([name, ...rows!.toSorted()]).toEqual([name, ...all!.toSorted()]);
    for (const file of [path].flat())
      expect(sums).toContain(`${digestOf(readFileSync(join(folder, file))).toString('hex')}  ${file}\n`);
  }
  for (const [table, owner] of Object.entries(OWNERS)) {
    const { path } = readDataPackage(folder).resources.find(({ name }) => name === table)!;
    expect(path).toHaveLength(PARTITIONS);
    for (const file of path) {
      const ids = (await openTables({ part: [join(folder, file)] }))(`select distinct ${owner} from part`).flat();
      const parts = ids.map((id) => digestOf(id as string).readUInt32BE() % PARTITIONS);
      expect([file, ...new Set(parts)]).toEqual([`data/${table}/partition=${parts[0]}/${table}.${format}`, parts[0]]);
    }
  }
  expect(await findBrokenKeys(folder)).toEqual([]);
});

it('a table without rows has one partition, and tables without an account have none', async () => {
  const folder = await createDataset(world.file, { partitions: PARTITIONS });
  const { resources } = readDataPackage(folder);
  const pathOf = (table: string) => resources.find(({ name }) => name === table)!.path;
  expect([pathOf('follow_history'), pathOf('communities'), pathOf('coverage')]).toEqual([
    'data/follow_history/partition=0/follow_history.csv',
    'data/communities.csv',
    'coverage.csv',
  ]);
});
