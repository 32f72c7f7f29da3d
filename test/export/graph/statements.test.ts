import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { GraphSelection, NetworkName } from '../../../src/export/graph/networks.ts';
import { NETWORK_NAMES } from '../../../src/export/graph/networks.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { createWorld } from '../../../src/world/create-world.ts';
import { createTempDir } from '../../support/temp.ts';
import { openStoreFile, readTables } from './support.ts';

/** The statements of the sidecars, run on the store by themselves, return the rows of the files. */

let world = '';
let accountRestIds: readonly string[] = [];
const DAY = 86_400_000;

beforeAll(async () => {
  const directory = createTempDir();
  world = join(directory.path, 'world.db');
  {
    using db = openDatabase(world);
    await createWorld({ db, users: 80, seed: 7 });
    // Some follows ended, and one of them returned.
    const { $client } = db;
    $client.exec(`update follows set ended_at = last_seen_at + ${DAY}, first_missed_at = last_seen_at + ${DAY} where id % 5 = 0;
      insert into follow_history (follower_id, followee_id, first_seen_at, last_seen_at, ended_at)
        select follower_id, followee_id, first_seen_at - ${9 * DAY}, first_seen_at - ${8 * DAY}, first_seen_at - ${7 * DAY} from follows where id % 7 = 0;
      insert or ignore into tweet_links (tweet_id, url) select id, 'https://example.org/' || (id % 9) from tweets where id % 4 = 0;`);
    accountRestIds = $client.prepare<[], string>('select rest_id from users order by id limit 2').pluck().all();
  }
  return () => directory[Symbol.dispose]();
});

const SELECTIONS: readonly [name: string, selection: () => Partial<GraphSelection>][] = [
  ['everything', () => ({})],
  ['a least weight', () => ({ minWeight: 2 })],
  ['the largest component', () => ({ isLargestComponent: true })],
  ['the neighbourhood of accounts', () => ({ accountRestIds, depth: 1 })],
  ['the component of a neighbourhood', () => ({ accountRestIds, depth: 2, isLargestComponent: true })],
  ['a period', () => ({ since: Date.parse('2024-06-01'), until: Date.parse('2026-06-01') })],
];

const CASES = NETWORK_NAMES.flatMap((network) =>
  SELECTIONS.filter(([name]) => network !== 'follows' || name !== 'a least weight').map(
    ([name, selection]) => [network, name, selection] as const,
  ),
);

test.each(CASES)('%s: %s', (network: NetworkName, _, selection) => {
  const { edges, nodes, statements } = readTables(world, network, selection());
  const client = openStoreFile(world);
  const read = ({ sql, parameters }: { sql: string; parameters: object }) =>
    (client.prepare(sql).raw().all(parameters) as unknown[][]).map((row) => JSON.stringify(row)).toSorted();
  const format = (rows: readonly (readonly unknown[])[]) => rows.map((row) => JSON.stringify(row)).toSorted();
  expect(read(statements.edges)).toEqual(format(edges));
  expect(read(statements.nodes)).toEqual(format(nodes));
});

test('the networks of the world have edges', () => {
  for (const network of NETWORK_NAMES) expect(readTables(world, network).edges.length, network).toBeGreaterThan(0);
});

/** The networks computed a second time, row by row, without the SQL of the export. */
const COUNTED: Readonly<Record<string, (db: ReturnType<typeof openStoreFile>) => Iterable<readonly [string, string]>>> =
  {
    *mentions(db) {
      const rows = db
        .prepare(
          `select a.rest_id as author, m.screen_name as handle from tweet_mentions m join tweets t on t.id = m.tweet_id join users a on a.id = t.author_id`,
        )
        .all() as { author: string; handle: string }[];
      const users = db.prepare('select rest_id as id, screen_name as handle from users').all() as Named[];
      const ids = new Map(users.map(({ id, handle }) => [handle?.toLowerCase(), id]));
      for (const { author, handle } of rows) yield [author, ids.get(handle) ?? `@${handle}`];
    },
    *replies(db) {
      const rows = db
        .prepare(
          `select a.rest_id as author, b.rest_id as parent from tweets t join tweets p on p.rest_id = t.in_reply_to_status_rest_id
         join users a on a.id = t.author_id join users b on b.id = p.author_id`,
        )
        .all() as { author: string; parent: string }[];
      for (const { author, parent } of rows) yield [author, parent];
    },
    *cohashtags(db) {
      for (const tags of group(db, 'select tweet_id, tag from tweet_hashtags')) yield* pairs(tags);
    },
    *colinks(db) {
      const select =
        'select l.url, u.rest_id from tweet_links l join tweets t on t.id = l.tweet_id join users u on u.id = t.author_id';
      for (const accounts of group(db, select)) yield* pairs(accounts);
    },
  };

interface Named {
  readonly id: string;
  readonly handle: string | null;
}

function group(db: ReturnType<typeof openStoreFile>, sql: string): Set<string>[] {
  const groups = new Map<unknown, Set<string>>();
  for (const [key, member] of db.prepare(sql).raw().all() as [unknown, string][])
    groups.set(key, (groups.get(key) ?? new Set()).add(member));
  return [...groups.values()];
}

function* pairs(members: Set<string>): Generator<[string, string]> {
  const list = [...members].toSorted();
  for (const [i, a] of list.entries()) for (const b of list.slice(i + 1)) yield [a, b];
}

test.each(Object.keys(COUNTED) as NetworkName[])('the weights of %s are those of a count row by row', (network) => {
  const weights = new Map<string, number>();
  const isDirected = network === 'mentions' || network === 'replies';
  const keyOf = (a: string, b: string) => (isDirected ? [a, b] : [a, b].toSorted()).join(' ');
  for (const [a, b] of COUNTED[network]!(openStoreFile(world))) {
    const key = keyOf(a, b);
    weights.set(key, (weights.get(key) ?? 0) + 1);
  }
  const { edges } = readTables(world, network);
  const found = new Map(edges.map(([a, b, , weight]) => [keyOf(String(a), String(b)), weight]));
  expect(found).toEqual(weights);
});
