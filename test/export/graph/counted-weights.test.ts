import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { NetworkName } from '#files/export/graph/networks.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { createWorld } from '#twin/world/create-world.ts';
import { createTempDir } from '../../support/temp.ts';
import { openStoreFile, readTables } from './support.ts';

let world = '';

beforeAll(async () => {
  const directory = createTempDir();
  world = join(directory.path, 'world.db');
  {
    using db = openDatabase(world);
    await createWorld({ db, users: 80, seed: 7 });
    db.$client.exec(
      `insert or ignore into tweet_links (tweet_id, url) select id, 'https://example.org/' || (id % 9) from tweets where id % 4 = 0`,
    );
  }
  return () => directory[Symbol.dispose]();
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
  expect(weights.size).toBeGreaterThan(0);
  expect(found).toEqual(weights);
});
