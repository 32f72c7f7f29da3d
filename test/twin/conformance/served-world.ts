import { afterAll, beforeAll } from 'vitest';
import { type Db, openDatabase } from '#store/sqlite/database.ts';
import { type RunningTwin, type StartOptions, startTwin } from '#twin/serve/http/start-twin.ts';
import { createKey } from '#twin/serve/quota/twin-keys.ts';
import { createWorld } from '#twin/world/create-world.ts';
import { createTempDir } from '../../support/temp.ts';

type Json = Record<string, unknown>;

export interface Answer {
  readonly status: number;
  /** The media type. */
  readonly type: string | undefined;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Json;
}

/** A whole world behind a listening twin, as a program sees it that was written from the specification. */
export interface ServedWorld {
  /** The store, to look up what there is to ask for, and to add to it. */
  readonly db: Db;
  readonly key: string;
  /** The base address. */
  readonly url: string;
  /** Any request, with the key unless the headers say otherwise. */
  ask(path: string, init?: RequestInit): Promise<Answer>;
  get(endpoint: string, parameters?: Record<string, string>): Promise<Answer>;
  post(endpoint: string, body?: unknown): Promise<Answer>;
  /** The `data` of each answer with 200 to these requests, by GET. */
  data(endpoint: string, requests: readonly Record<string, string>[]): Promise<Json[]>;
  /** The one column that a query gives. */
  column(query: string): string[];
}

export const pathOf = (endpoint: string): string => `/api/microblog/${endpoint}`;

/** Makes a world of 60 people before the tests of a file, and serves it until they have run. */
export function serveWorld(options: Omit<StartOptions, 'file'> = {}): ServedWorld {
  const directory = createTempDir();
  const file = `${directory.path}/world.db`;
  const db = openDatabase(file);
  const { key } = createKey(db, { name: 'conformance', limit: 1_000_000, now: Date.now() });
  let twin: RunningTwin;
  beforeAll(async () => {
    await createWorld({ db, users: 60, seed: 11 });
    twin = await startTwin({ file, ...options });
  });
  afterAll(async () => {
    await twin.close();
    db.$client.close();
    directory[Symbol.dispose]();
  });

  const ask: ServedWorld['ask'] = async (path, init = {}) => {
    const headers = new Headers({ 'X-API-Key': key });
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    const response = await fetch(twin.url + path, { ...init, headers });
    const text = await response.text();
    return {
      status: response.status,
      type: response.headers.get('content-type')?.split(';')[0],
      headers: response.headers,
      text,
      body: text === '' ? {} : (JSON.parse(text) as Json),
    };
  };
  const get: ServedWorld['get'] = (endpoint, parameters = {}) =>
    ask(`${pathOf(endpoint)}?${new URLSearchParams(parameters).toString()}`);
  return {
    db,
    key,
    get url() {
      return twin.url;
    },
    ask,
    get,
    post: (endpoint, body = {}) =>
      ask(pathOf(endpoint), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      }),
    async data(endpoint, requests) {
      const answers = await Promise.all(requests.map(async (parameters) => get(endpoint, parameters)));
      return answers.flatMap(({ status, body }) => (status === 200 ? [body['data'] as Json] : []));
    },
    column: (query) => db.$client.prepare(query).pluck().all().map(String),
  };
}

/** All values at a path written as the specification writes them: `timeline.instructions[].entries[].content.tweet`. */
export function allAt(value: unknown, path: string): unknown[] {
  let values = [value];
  for (const step of path.split('.')) {
    const [name, ...lists] = step.split('[]') as [string, ...string[]];
    values = values.flatMap((one) =>
      typeof one === 'object' && one !== null && Object.hasOwn(one, name) ? [(one as Json)[name]] : [],
    );
    for (const _ of lists) values = values.flat();
  }
  return values;
}

/** The same, of objects. */
export const objectsAt = (value: unknown, path: string): Json[] =>
  allAt(value, path).map((one) => {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) throw new TypeError(`no object at ${path}`);
    return one as Json;
  });
