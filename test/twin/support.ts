import { sql } from 'drizzle-orm';
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { expect, onTestFinished } from 'vitest';
import type { Clock } from '#base/clock.ts';
import { toSearchText } from '#base/search-text.ts';
import { type EndpointName, endpointTable, extendedTable } from '#service/contract/endpoints.ts';
import type {
  AuthoredTweet,
  DetailedTweet,
  Group,
  OwnTweet,
  TimelineTweet,
  TokenUsage,
  UserProfile,
  UserSummary,
} from '#service/contract/resources.ts';
import { readPage } from '#service/contract/wire-page.ts';
import { prepareSearchIndex } from '#store/merge/full-text-index.ts';
import {
  communities,
  communityTweets,
  follows,
  lists,
  listTweets,
  media,
  tweetHashtags,
  tweetMentions,
  tweets,
  users,
  userLastSeen,
} from '#store/schema/tables.ts';
import { type Db, openDatabase } from '#store/sqlite/database.ts';
import { buildTwin, type TwinOptions } from '#twin/serve/http/start-twin.ts';
import { openTwinFile } from '#twin/serve/quota/quota-file.ts';
import { createKey, createVerifier, type KeyOptions } from '#twin/serve/quota/twin-keys.ts';
import { createStoreFile } from '../support/store-file.ts';
import { tempFile } from '../support/temp.ts';

export const NOW = Date.parse('2024-06-01T12:00:00.000Z');

/** Indexes new accounts and changed texts, as the end of a crawl does. */
export const updateSearchIndex = (db: Db): void => prepareSearchIndex(db)();

/** The path of a file that does not exist yet. */
export const temporaryFile = (name = 'store.db'): string => tempFile(name);

export function temporaryStore(file?: string): Db {
  const db = openDatabase(createStoreFile(file));
  onTestFinished(() => void db.$client.close());
  return db;
}

/** The verification of the keys of a store. */
export function verifierOf(db: Db): ReturnType<typeof createVerifier> {
  const file = openTwinFile(db.$client.name);
  onTestFinished(() => void file.close());
  return createVerifier(db, file);
}

type Insert<T extends { $inferInsert: object }> = Partial<T['$inferInsert']>;

export function addUser(
  db: Db,
  { lastSeenAt = NOW, lastSummaryAt = null, ...user }: Insert<typeof users & typeof userLastSeen> & { restId: string },
): number {
  const { id } = db
    .insert(users)
    .values({
      screenName: `user${user.restId}`,
      name: `User ${user.restId}`,
      firstSeenAt: NOW,
      profileAt: NOW,
      ...user,
    })
    .returning({ id: users.id })
    .get();
  db.insert(userLastSeen).values({ userId: id, lastSeenAt, lastSummaryAt }).run();
  return id;
}

interface NewTweet extends Insert<typeof tweets> {
  restId: string;
  /** Their addresses; each is 640 by 480. */
  photos?: string[];
  tags?: string[];
  mentions?: string[];
}

export function addTweet(db: Db, { photos = [], tags = [], mentions = [], ...tweet }: NewTweet): number {
  const { id, text } = db
    .insert(tweets)
    .values({ text: `tweet ${tweet.restId}`, createdAt: NOW, firstSeenAt: NOW, lastSeenAt: NOW, ...tweet })
    .returning({ id: tweets.id, text: tweets.text })
    .get();
  // As the writer does for a new tweet.
  db.run(sql`update tweets_fts set text = ${text && toSearchText(text)} where rowid = ${id}`);
  db.run(sql`delete from _search_updates where relation = 'tweets' and row_id = ${id}`);
  for (const [position, url] of photos.entries())
    db.insert(media).values({ tweetId: id, position, type: 'photo', url, width: 640, height: 480 }).run();
  for (const tag of tags) db.insert(tweetHashtags).values({ tweetId: id, tag }).run();
  for (const screenName of mentions) db.insert(tweetMentions).values({ tweetId: id, screenName }).run();
  return id;
}

export const addFollow = (db: Db, followerId: number, followeeId: number, endedAt: number | null = null): void =>
  void db.insert(follows).values({ followerId, followeeId, firstSeenAt: NOW, lastSeenAt: NOW, endedAt }).run();

type NewGroup = Insert<typeof communities> & { restId: string; tweetIds?: readonly number[] };

export function addCommunity(db: Db, { tweetIds = [], ...group }: NewGroup): void {
  const [row] = db
    .insert(communities)
    .values({ lastSeenAt: NOW, ...group })
    .returning({ id: communities.id })
    .all();
  for (const tweetId of tweetIds)
    db.insert(communityTweets).values({ communityId: row!.id, tweetId, firstSeenAt: NOW }).run();
}

export function addList(db: Db, { tweetIds = [], ...group }: NewGroup): void {
  const [row] = db
    .insert(lists)
    .values({ lastSeenAt: NOW, ...group })
    .returning({ id: lists.id })
    .all();
  for (const tweetId of tweetIds) db.insert(listTweets).values({ listId: row!.id, tweetId, firstSeenAt: NOW }).run();
}

export interface TestClock extends Clock {
  advance(ms: number): void;
}

export function testClock(start = NOW): TestClock {
  let now = start;
  return {
    now: () => now,
    sleep: async () => undefined,
    advance: (ms) => void (now += ms),
  };
}

export interface Answer<D = unknown> {
  readonly status: number;
  /** The media type. */
  readonly type: string | undefined;
  readonly headers: Headers;
  readonly body: { readonly data: D };
}

/** A twin that listens on a real port, and one key for it. */
export interface TestTwin {
  readonly app: FastifyInstance;
  readonly url: string;
  readonly key: string;
  get(endpoint: EndpointName, parameters?: Record<string, string>): Promise<Answer>;
  post(endpoint: EndpointName, parameters?: Record<string, unknown>): Promise<Answer>;
  /** Any request, with the key unless the headers say otherwise. */
  request(path: string, init?: RequestInit): Promise<Answer>;
  /** The `data` of a good answer, checked against the contract's schema. */
  data<N extends EndpointName>(endpoint: N, parameters?: Record<string, string>): Promise<Data<N>>;
}

/* The answers, as far as tests look into them by hand. */
interface TweetEntries<T> {
  readonly entries: readonly { readonly entryId: string; readonly content: { readonly tweet: T } }[];
}
interface TweetList<T> {
  readonly instructions: readonly TweetEntries<T>[];
}
interface UserList {
  readonly timeline: {
    readonly instructions: readonly {
      readonly entries: readonly { readonly content: { readonly user: UserSummary } }[];
      readonly cursor?: { readonly value: string };
    }[];
  };
}
interface Shapes {
  readonly 'token-info': TokenUsage;
  readonly 'user-profile': UserProfile;
  readonly 'user-tweets': { readonly user: unknown; readonly timeline: TweetList<OwnTweet> };
  readonly 'user-tweets-replies': { readonly user: unknown; readonly timeline: TweetList<TimelineTweet> };
  readonly 'tweet-detail': { readonly tweet: DetailedTweet };
  readonly 'community-tweets': { readonly community: Group; readonly tweets: TweetList<AuthoredTweet> };
  readonly 'list-latest-tweets': { readonly list: Group; readonly tweets: TweetEntries<AuthoredTweet> };
  readonly search: {
    readonly search_metadata: { readonly count: number };
    readonly timeline: TweetList<AuthoredTweet>;
  };
  readonly followers: { readonly followers: UserList };
  readonly following: { readonly following: UserList };
}
export type Data<N extends EndpointName> = N extends keyof Shapes ? Shapes[N] : unknown;

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const type = response.headers.get('content-type')?.split(';')[0];
  return { status: response.status, type, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

export async function testTwin(options: TwinOptions & { key?: Partial<KeyOptions> }): Promise<TestTwin> {
  const { key: keyOptions, ...twinOptions } = options;
  const { key } = createKey(options.db, { name: 'test', now: NOW, ...keyOptions });
  const app = buildTwin(twinOptions);
  onTestFinished(() => app.close());
  const url = await app.listen({ port: 0, host: '127.0.0.1' });

  const request = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const headers = new Headers({ 'X-API-Key': key });
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    return answerOf(await fetch(url + path, { ...init, headers }));
  };
  const get: TestTwin['get'] = (endpoint, parameters = {}) =>
    request(`${endpointTable[endpoint].path}?${new URLSearchParams(parameters).toString()}`);
  const post: TestTwin['post'] = (endpoint, parameters = {}) =>
    request(endpointTable[endpoint].path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(parameters),
    });
  return {
    app,
    url,
    key,
    get,
    post,
    request,
    async data(endpoint, parameters) {
      const answer = await get(endpoint, parameters);
      expect(answer).toMatchObject({ status: 200, body: { data: {} } });
      expectContract(options.extended ? extendedTable : endpointTable, endpoint, answer.body.data);
      return answer.body.data as never;
    },
  };
}

const compiled = new Map<TSchema, ReturnType<typeof Compile>>();

/** Fails with the schema's complaints when `data` is not what the contract says. */
function expectContract(table: typeof endpointTable, endpoint: EndpointName, data: unknown): void {
  const schema = table[endpoint].data;
  let check = compiled.get(schema);
  if (!check) compiled.set(schema, (check = Compile(schema)));
  expect([...check.Errors(data)].map(({ instancePath, message }) => `${instancePath} ${message}`)).toEqual([]);
}

/** A page of a list, as the project's own reader of pages sees it. */
export async function pageOf(
  twin: TestTwin,
  endpoint: EndpointName,
  parameters: Record<string, string>,
): Promise<{ readonly ids: readonly string[]; readonly next: string | null }> {
  const { items, cursor } = readPage(endpoint, { data: await twin.data(endpoint, parameters) });
  return { ids: items.map(({ value }) => (value as { id: string }).id), next: cursor.value };
}

/** Walks a list to its end; the ids of each page. */
export async function readPages(
  twin: TestTwin,
  endpoint: EndpointName,
  parameters: Record<string, string>,
  between: () => void = () => {},
): Promise<(readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  let cursor: string | null = null;
  do {
    const page = await pageOf(twin, endpoint, { ...parameters, ...(cursor !== null && { cursor }) });
    pages.push(page.ids);
    cursor = page.next;
    between();
  } while (cursor !== null);
  return pages;
}
