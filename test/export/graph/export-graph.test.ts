import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readGraph } from '#files/export/graph/read-graph.ts';
import { writeGraph } from '#files/export/graph/write-graph.ts';
import type { Sidecar } from '#files/export/sidecar.ts';
import { openSnapshot } from '#files/export/snapshot.ts';
import { failure, runCli, runJson, runSuccessfully } from '../../support/cli.ts';
import { tempDir } from '../../support/temp.ts';
import { ALL, createStore, idOf } from './support.ts';

const storeOf = () =>
  createStore((store) => {
    store.users(5);
    store.follow(1, 2);
    store.follow(2, 3);
    store.follow(4, 5);
    store.follow(1, 5, { ended: 500 });
    store.tweet(1, 1, 5, { mentions: ['user_2', 'nobody'] });
  });

test('a network as GEXF has a sidecar with counts and checksum', async () => {
  const cwd = tempDir();
  const db = storeOf();
  const { stdout, stderr } = await runSuccessfully(['export', 'graph', 'follows', '-o', 'follows.gexf', '--db', db], {
    cwd,
  });
  expect(stdout).toMatch(/follows\.gexf: 5 nodes, 3 edges, /);
  expect(stderr).toContain('left out: 1 follow that had ended');
  expect(readdirSync(cwd).toSorted()).toEqual(['follows.gexf', 'follows.gexf.meta.json']);
  const file = readFileSync(join(cwd, 'follows.gexf'));
  const sidecar = JSON.parse(readFileSync(join(cwd, 'follows.gexf.meta.json'), 'utf8')) as Sidecar;
  expect(sidecar).toMatchObject({
    rows: 3,
    bytes: file.length,
    sha256: createHash('sha256').update(file).digest('hex'),
    excluded: {
      endedFollows: 1,
      unavailableAccounts: 0,
    },
    command: expect.stringContaining('export graph follows -o follows.gexf') as string,
  });
});

test('a network as CSV is an edge table and a node table, as Gephi names their columns', async () => {
  const cwd = tempDir();
  const report = await runJson<{ nodes: number; edges: number; files: { file: string; rows: number }[] }>(
    ['export', 'graph', 'mentions', '-o', join(cwd, 'm.csv'), '--db', storeOf()],
    { cwd },
  );
  expect(report).toMatchObject({
    nodes: 3,
    edges: 2,
    files: [
      {
        file: join(cwd, 'm.nodes.csv'),
        rows: 3,
      },
      {
        file: join(cwd, 'm.csv'),
        rows: 2,
      },
    ],
  });
  expect(readFileSync(join(cwd, 'm.csv'), 'utf8')).toBe(
    [
      'Source,Target,Type,Weight,first_at,last_at',
      `${idOf(1)},${idOf(2)},Directed,1,1970-01-01T00:00:00.005Z,1970-01-01T00:00:00.005Z`,
      `${idOf(1)},@nobody,Directed,1,1970-01-01T00:00:00.005Z,1970-01-01T00:00:00.005Z`,
      '',
    ].join('\n'),
  );
  expect(readFileSync(join(cwd, 'm.nodes.csv'), 'utf8').split('\n').slice(0, 2)).toEqual([
    'Id,Label,name,followers_count,following_count,statuses_count,verified,created_at,known_by',
    `${idOf(1)},User_1,Name 1,,,,,,reference`,
  ]);
  expect(readdirSync(cwd).toSorted()).toEqual(['m.csv', 'm.csv.meta.json', 'm.nodes.csv', 'm.nodes.csv.meta.json']);
});

test('accounts select their neighbourhood, with the number of steps', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'accounts.txt'), `# seeds\nid:${idOf(1)}\n`);
  const args = ['export', 'graph', 'follows', '-o', 'ego.csv', '--db', storeOf()];
  await runSuccessfully([...args, '--from-file', 'accounts.txt', '--depth', '2'], { cwd });
  const [, ...nodes] = readFileSync(join(cwd, 'ego.nodes.csv'), 'utf8').trim().split('\n');
  expect(nodes.map((row) => [row.split(',')[1], row.split(',').at(-1)])).toEqual([
    ['User_1', '0'],
    ['User_2', '1'],
    ['User_3', '2'],
  ]);
  expect(await runCli([...args, '--accounts', 'user_1,missing_one', '--depth', '0'], { cwd })).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('ego.csv: 1 node, 0 edges') as string,
  });
});

test.each([
  [['follows', '-o', 'a.txt'], 'has no extension of a network'],
  [['follows', '-o', 'a.gexf', '--min-weight', '2'], '--min-weight does not apply to follows'],
  [['mentions', '-o', 'a.gexf', '--depth', '1'], '--depth needs accounts'],
  [['cohashtags', '-o', 'a.gexf', '--accounts', 'user_1', '--depth', '1'], '--depth does not apply to cohashtags'],
  [['mentions', '-o', 'a.gexf', '--since', '2025-01-02', '--until', '2025-01-01'], '--since is not before --until'],
])('trawl export graph %j is a usage error', async (args, message) => {
  const cwd = tempDir();
  expect(await runCli(['export', 'graph', ...args, '--db', storeOf()], { cwd })).toEqual(failure(2, message));
  expect(readdirSync(cwd)).toEqual([]);
});

test.each(['follows.gexf', 'follows.csv'])('an interrupted export to %s leaves no file', async (name) => {
  const folder = tempDir();
  const path = createStore((store) => {
    store.users(99);
    store.db.exec(
      `with n(i) as (select id from users) insert into follows (follower_id, followee_id, first_seen_at, last_seen_at)
       select a.i, b.i, 1, 1 from n a, n b; update follows set first_seen_at = 2;`,
    );
  });
  using snapshot = openSnapshot(path);
  const graph = readGraph(snapshot.db, 'follows', ALL);
  const interrupt = new AbortController();
  // The nodes are fewer than the rows between two reports, so that the edges are interrupted.
  const edges = {
    ...graph,
    *edges() {
      let count = 0;
      for (const edge of graph.edges()) {
        if (++count === 5000) interrupt.abort(new Error('interrupted'));
        yield edge;
      }
    },
  };
  const request = { snapshot, graph: edges, selection: ALL, path: join(folder, name), command: 'trawl' };
  await expect(writeGraph({ ...request, signal: interrupt.signal })).rejects.toThrow('interrupted');
  expect(readdirSync(folder)).toEqual([]);
});
