import { spawnSync } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { toEdgeTable, toNodeTable, type GraphSelection, type NetworkName } from '#files/export/graph/networks.ts';
import { readGraph } from '#files/export/graph/read-graph.ts';
import { openSnapshot } from '#files/export/snapshot.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { PYTHON } from '../../support/programs.ts';
import { createStoreFile } from '../../support/store-file.ts';

/** The service's id of an account of these tests: as long as real ones, so that a double does not hold it. */
export const idOf = (user: number): string => `10000000000000000${String(user).padStart(2, '0')}`;

type Client = ReturnType<typeof openDatabase>['$client'];

/** What a test adds to a store. Times are milliseconds. */
export interface StoreFiller {
  readonly db: Client;
  users(count: number): void;
  follow(follower: number, followee: number, times?: { from?: number; seen?: number; ended?: number | null }): void;
  /** An earlier period of an edge. */
  followedBefore(follower: number, followee: number, from: number, ended: number): void;
  tweet(id: number, author: number, at: number | null, more?: TweetParts): void;
}

interface TweetParts {
  readonly mentions?: readonly string[];
  readonly hashtags?: readonly string[];
  readonly links?: readonly string[];
  readonly parentTweet?: string;
  readonly parentUser?: string;
  readonly parentHandle?: string;
}

/** Creates a store with rows of a test. */
export function createStore(fill: (store: StoreFiller) => void): string {
  const path = createStoreFile();
  using database = openDatabase(path);
  const db = database.$client;
  const insertUser = db.prepare(
    'insert into users (id, rest_id, screen_name, name, first_seen_at) values (?, ?, ?, ?, 1)',
  );
  const insertSeen = db.prepare('insert into _user_last_seen (user_id, last_seen_at) values (?, ?)');
  const insertTweet = db.prepare(
    `insert into tweets (id, rest_id, author_id, text, created_at, first_seen_at, last_seen_at,
       in_reply_to_status_rest_id, in_reply_to_user_rest_id, in_reply_to_screen_name) values (?, ?, ?, '', ?, 1, 1, ?, ?, ?)`,
  );
  fill({
    db,
    users(count) {
      for (let i = 1; i <= count; i++) {
        insertUser.run(i, idOf(i), `User_${i}`, `Name ${i}`);
        insertSeen.run(i, i);
      }
    },
    follow: (follower, followee, { from = 100, seen = from, ended = null } = {}) =>
      db
        .prepare(
          'insert into follows (follower_id, followee_id, first_seen_at, last_seen_at, ended_at, first_missed_at) values (?, ?, ?, ?, ?, ?)',
        )
        .run(follower, followee, from, seen, ended, ended),
    followedBefore: (follower, followee, from, ended) =>
      db
        .prepare(
          'insert into follow_history (follower_id, followee_id, first_seen_at, last_seen_at, ended_at) values (?, ?, ?, ?, ?)',
        )
        .run(follower, followee, from, ended - 1, ended),
    tweet(id, author, at, { mentions = [], hashtags = [], links = [], parentTweet, parentUser, parentHandle } = {}) {
      insertTweet.run(id, String(id), author, at, parentTweet ?? null, parentUser ?? null, parentHandle ?? null);
      const add = (table: string, column: string, values: readonly string[]) => {
        for (const value of values)
          db.prepare(`insert into ${table} (tweet_id, ${column}) values (?, ?)`).run(id, value);
      };
      add('tweet_mentions', 'screen_name', mentions);
      add('tweet_hashtags', 'tag', hashtags);
      add('tweet_links', 'url', links);
    },
  });
  return path;
}

export const ALL: GraphSelection = { minWeight: 1, depth: 1 };

/** Reads a network of a store: the rows of its edge table and of its node table. */
export function readTables(path: string, network: NetworkName, selection: Partial<GraphSelection> = {}) {
  using snapshot = openSnapshot(path);
  const graph = readGraph(snapshot.db, network, { ...ALL, ...selection });
  return {
    edges: [...toEdgeTable(graph).rows],
    nodes: [...toNodeTable(graph).rows],
    nodeColumns: toNodeTable(graph).columns.map(({ name }) => name),
    excluded: graph.excluded,
  };
}

/** Source, target and weight of each edge, by the numbers of the accounts if they have one. */
export const edgesOf = (path: string, network: NetworkName, selection: Partial<GraphSelection> = {}): string[] =>
  readTables(path, network, selection)
    .edges.map(([source, target, , weight]) => `${shorten(source)} ${shorten(target)} ${String(weight)}`)
    .toSorted();

export const nodesOf = (path: string, network: NetworkName, selection: Partial<GraphSelection> = {}): string[] =>
  readTables(path, network, selection)
    .nodes.map(([id]) => shorten(id))
    .toSorted();

/** `1000000000000000007` is 7. */
const shorten = (key: unknown): string =>
  String(key).replace(/^10000000000000000(\d\d)$/, (_, n: string) => String(Number(n)));

/** Runs a Python script with arguments, and returns the JSON that it prints. */
export function runPython<T>(script: string, ...args: readonly string[]): T {
  const { status, stdout, stderr } = spawnSync(PYTHON, ['-c', script, ...args], {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as T;
}

/** Opens a store to read rows of tables. */
export function openStoreFile(path: string): Client {
  const { $client } = openDatabase(path);
  onTestFinished(() => void $client.close());
  return $client;
}
