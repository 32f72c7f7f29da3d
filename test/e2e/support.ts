import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type EndpointName, endpointTable as endpoints } from '#service/contract/endpoints.ts';
import { type Db, openDatabase } from '#store/sqlite/database.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import type { FaultsOptions } from '#twin/faults/fault-injector.ts';
import { endpointOf, type PageSizes } from '#twin/serve/http/routes.ts';
import { buildTwin } from '#twin/serve/http/start-twin.ts';
import { createKey } from '#twin/serve/quota/twin-keys.ts';
import { createWorld } from '#twin/world/create-world.ts';
import { createStoreFile } from '../support/store-file.ts';
import { createTempDir, tempFile } from '../support/temp.ts';

/** A world in a file, made before the tests of a test file. */
export interface World {
  readonly file: string;
  readonly db: Db;
}

export function withWorld(users: number, seed: number): World {
  const directory = createTempDir();
  const file = join(directory.path, 'world.db');
  const db = openDatabase(createStoreFile(file));
  beforeAll(async () => void (await createWorld({ db, users, seed })));
  afterAll(() => {
    db.$client.close();
    directory[Symbol.dispose]();
  });
  return { file, db };
}

/** A request of the quota that reached the twin. */
export interface Asked {
  /** Which it is, from 1. */
  readonly n: number;
  readonly endpoint: EndpointName;
  readonly parameters: Readonly<Record<string, string>>;
  /** Undefined until it is answered. */
  status: number | undefined;
}

export interface ServeOptions {
  readonly pageSize?: number | PageSizes;
  readonly extended?: boolean;
  readonly limit?: number;
  readonly windowMs?: number;
  /** A plan of faults, and its seed. */
  readonly faults?: FaultsOptions;
  /** Before a metered request is answered. */
  readonly onAsked?: (asked: Asked) => void | Promise<void>;
  /** Before token-info is answered. */
  readonly onTokenInfo?: () => void | Promise<void>;
  /** When the answer of a metered request has been sent. */
  readonly onAnswered?: (asked: Asked) => void;
}

/** A twin in this process that records requests. */
export interface Service {
  readonly url: string;
  readonly key: string;
  /** All metered requests, in the order in which they came. */
  readonly asked: readonly Asked[];
  /** The file of a store that does not exist yet. */
  readonly db: string;
  /** The environment of a `trawl` that crawls this service into that store. */
  readonly env: Readonly<Record<'TRAWL_API_URL' | 'TRAWL_API_KEY' | 'TRAWL_DB', string>>;
}

/** The number of requests that are equal to an earlier one. */
export const askedTwice = ({ asked }: Service): number =>
  asked.length - new Set(asked.map(({ endpoint, parameters }) => JSON.stringify([endpoint, parameters]))).size;

/** A key for a world's twin, by default with a quota that no test uses up. */
export const newKey = (
  { db }: World,
  more: { name?: string; limit?: number; windowMs?: number | undefined } = {},
): string => createKey(db, { name: 'test', limit: 100_000, now: Date.now(), ...more }).key;

/** Serves a world until the test ends. */
export async function serve(world: World, options: ServeOptions = {}): Promise<Service> {
  const { pageSize, extended, limit = 100_000, windowMs, faults, onAsked, onAnswered, onTokenInfo } = options;
  const key = newKey(world, { limit, windowMs });
  const app = buildTwin({ db: world.db, pageSize, extended, faults });
  const asked: Asked[] = [];
  const pending = new WeakMap<object, Asked>();
  app.addHook('preHandler', async (request) => {
    const endpoint = endpointOf(request)?.name;
    if (endpoint === 'token-info') await onTokenInfo?.();
    if (endpoint === undefined || !endpoints[endpoint].metered) return;
    const parameters = (request.method === 'POST' ? request.body : request.query) as Record<string, string>;
    const one: Asked = { n: asked.length + 1, endpoint, parameters, status: undefined };
    asked.push(one);
    pending.set(request, one);
    await onAsked?.(one);
  });
  app.addHook('onResponse', async (request, reply) => {
    const one = pending.get(request);
    if (!one) return;
    one.status = reply.statusCode;
    onAnswered?.(one);
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
  const db = tempFile('mine.db');
  return { url, key, asked, db, env: { TRAWL_API_URL: url, TRAWL_API_KEY: key, TRAWL_DB: db } };
}

/** An event that a test waits for. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** The rows of a query on a database file, read without the project's code. */
export function rowsOf<T = Record<string, unknown>>(file: string, query: string, ...values: unknown[]): T[] {
  const db = openConnection(file, { readonly: true });
  try {
    return db.prepare(query).all(...values) as T[];
  } finally {
    db.close();
  }
}

/** The value of a query with one row and column. */
export const valueOf = <T = number>(file: string, query: string, ...values: unknown[]): T =>
  Object.values(rowsOf(file, query, ...values)[0]!)[0] as T;

/** The columns of each table that do not depend on times and restarts. */
const CONTENT: Readonly<Record<string, string>> = {
  users: `id, rest_id, screen_name, name, description, location, url, type, profile_image_url, cover_image_url, verified,
    is_blue_verified, can_dm, has_custom_timelines, is_translator, followers_count, following_count, favourites_count,
    media_count, statuses_count, created_at, profile_at is null`,
  _user_last_seen: 'user_id, last_seen_at is null, last_summary_at is null',
  follows: 'id, followee_id, follower_id, ended_at',
  tweets: 'id, rest_id, author_id, text, created_at',
  crawls: `kind, target, options, priority, state, reason, ending, error, target_rest_id, cursor, checkpoint, pages, items, new_items,
    rejected_items, requests, consecutive_failures`,
  raw_pages: 'id, crawl_id, endpoint, parameters, status, hash, encoding, body',
  requests: 'id, crawl_id, endpoint, status, response_bytes, error',
  rejects: 'id, path, reason',
  _drift: 'endpoint, field, occurrences',
};

/** A digest of each table: equal content, equal digests. */
export const digestsOf = (file: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(CONTENT).map(([table, columns]) => {
      const rows = rowsOf(file, `select ${columns} from ${table} order by 1, 2, 3`);
      const hash = createHash('sha256').update(JSON.stringify(rows)).digest('hex').slice(0, 16);
      return [table, `${rows.length} rows, ${hash}`];
    }),
  );

export const integrityOf = (file: string): string => valueOf<string>(file, 'pragma integrity_check');

/** The account of a world whose followers are the fewest, but at least so many. */
export const followedBy = ({ file }: World, least: number): { handle: string; id: string; followers: number } =>
  rowsOf<{ handle: string; id: string; followers: number }>(
    file,
    `select screen_name as handle, rest_id as id, count(*) as followers
     from follows join users on users.id = followee_id
     group by followee_id having count(*) >= ? order by followers, users.id limit 1`,
    least,
  )[0]!;

/** A world's first people. */
export const peopleOf = ({ file }: World, count: number): { handle: string; id: string }[] =>
  rowsOf(file, 'select screen_name as handle, rest_id as id from users order by users.id limit ?', count);

/** A file of targets, one to a line. */
export function writeTargets(targets: readonly string[]): string {
  const file = tempFile('targets.txt');
  writeFileSync(file, targets.join('\n'));
  return file;
}

/** The number of followers of an account in a database. */
export const countFollowers = (file: string, id: string): number =>
  valueOf(file, 'select count(*) from follows join users on users.id = followee_id where rest_id = ?', id);

/** The number of crawls in each state. */
export const countStates = (db: string): unknown[] =>
  rowsOf(db, 'select state, count(*) as n from crawls group by state');
