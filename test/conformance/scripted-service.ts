import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** An account of the data set. Lists hold ids of accounts, in the order in which the service shows them. */
export interface Account {
  readonly id: string;
  handle: string;
  followers?: readonly string[];
  following?: readonly string[];
  /** Fields of its profile that differ from the defaults, such as counts. */
  readonly profile?: Readonly<Record<string, unknown>>;
}

/** A tweet, or with `replyTo` a reply to the tweet of that id. `author` is an id of an account; `at` is UTC milliseconds. */
export interface Tweet {
  readonly id: string;
  readonly author: string;
  readonly text: string;
  readonly at: number;
  readonly replyTo?: string;
}

/** A community or a public list, with the ids of its tweets. */
export interface Collection {
  readonly id: string;
  readonly name: string;
  readonly tweets: readonly string[];
}

export interface DataSet {
  accounts?: Account[];
  tweets?: Tweet[];
  communities?: Collection[];
  lists?: Collection[];
}

export type Parameters = Readonly<Record<string, unknown>>;
export type Json = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- tests change answers anywhere

/** A request that reached the service. */
export interface Call {
  /** Which it is, from 1. */
  readonly n: number;
  /** The last part of the path, such as `user-tweets`. */
  readonly endpoint: string;
  readonly method: string;
  readonly parameters: Parameters;
  readonly at: number;
}

/** An answer. A body that is a string is sent as it is, any other as JSON. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Json | string;
}

/** Changes single answers: `next` gives the answer of the specification, by default to the call's own parameters. */
export type Hook = (call: Call, next: (parameters?: Parameters) => Answer) => Answer | Promise<Answer>;

export interface ServiceOptions {
  /** Items on a page of user-tweets, followers and following. */
  readonly pageSize?: number;
  /** Items that the endpoints without pagination show at most. */
  readonly mostShown?: { readonly search?: number; readonly replies?: number; readonly others?: number };
  readonly hook?: Hook;
}

export interface ScriptedService {
  readonly url: string;
  readonly calls: readonly Call[];
  /** How many of the calls the quota counts: all but those of token-info. */
  metered(): number;
  /** The data served from now on. */
  readonly data: DataSet;
  /** The environment of a `trawl` that crawls this service. */
  readonly env: Readonly<Record<string, string>>;
  /** Refuses connections from now on. */
  stop(): void;
  /** Accepts connections again, at the same address. */
  start(): Promise<void>;
}

export const KEY = 'a-key-of-the-conformance-tests';
const BASE = '/api/microblog/';
const LIMIT = 1_000_000;

/** The required parameter of each endpoint (specification, Endpoints). */
const REQUIRED: Readonly<Record<string, string | undefined>> = {
  'token-info': undefined,
  'user-profile': 'screenName',
  'user-tweets': 'restId',
  'user-tweets-replies': 'restId',
  followers: 'restId',
  following: 'restId',
  'tweet-detail': 'restId',
  search: 'rawQuery',
  'community-tweets': 'communityId',
  'list-latest-tweets': 'listId',
};

/** Serves a data set as the specification says, on loopback and any free port, until the test ends. */
export async function serveData(data: DataSet, options: ServiceOptions = {}): Promise<ScriptedService> {
  const calls: Call[] = [];
  const metered = (): number => calls.filter(({ endpoint }) => endpoint !== 'token-info').length;
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts = new URL(request.url ?? '/', 'http://localhost');
    const endpoint = parts.pathname.startsWith(BASE) ? parts.pathname.slice(BASE.length) : '';
    const parameters = await parametersOf(request, parts);
    const call: Call = { n: calls.length + 1, endpoint, method: request.method ?? '', parameters, at: Date.now() };
    calls.push(call);
    const next = (changed: Parameters = parameters): Answer =>
      request.headers['x-api-key'] === KEY ? answer(data, endpoint, changed, options, metered()) : refuse(401);
    const { status, headers, body } = (await options.hook?.(call, next)) ?? next();
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  const server = createServer((request, response) => void respond(request, response));
  let port = 0;
  const start = (): Promise<void> => new Promise((listening) => server.listen(port, '127.0.0.1', listening));
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  await start();
  onTestFinished(stop);
  port = (server.address() as AddressInfo).port;
  const url = `http://127.0.0.1:${port}`;
  return { url, calls, metered, data, env: { TRAWL_API_URL: url, TRAWL_API_KEY: KEY }, stop, start };
}

export const refuse = (status: number, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers,
  body: { error: `status ${status}` },
});

async function parametersOf(request: IncomingMessage, parts: URL): Promise<Parameters> {
  if (request.method !== 'POST') return Object.fromEntries(parts.searchParams);
  const body = await text(request);
  return body === '' ? {} : (JSON.parse(body) as Parameters);
}

/** The answer that the specification asks for. */
function answer(
  data: DataSet,
  endpoint: string,
  parameters: Parameters,
  options: ServiceOptions,
  used: number,
): Answer {
  if (!(endpoint in REQUIRED)) return refuse(404);
  const required = REQUIRED[endpoint];
  const value = required === undefined ? '' : parameters[required];
  if (required !== undefined && (typeof value !== 'string' || value === '')) return refuse(400);
  const shown = contentOf(data, endpoint, String(value), parameters['cursor'], options, used);
  return shown === undefined
    ? refuse(404)
    : shown === 'bad cursor'
      ? refuse(400)
      : { status: 200, body: { data: shown } };
}

type Content = Json | 'bad cursor' | undefined;

function contentOf(
  data: DataSet,
  endpoint: string,
  value: string,
  cursor: unknown,
  { pageSize = 100, mostShown = {} }: ServiceOptions,
  used: number,
): Content {
  const { accounts = [], tweets = [], communities = [], lists = [] } = data;
  const account = accounts.find(({ id }) => id === value);
  const newestFirst = [...tweets].sort((a, b) => b.at - a.at);
  const entry = (tweet: Tweet): Json => ({ entryId: `tweet-${tweet.id}`, content: { tweet: withAuthor(data, tweet) } });
  const shown = (some: readonly Tweet[], most = mostShown.others ?? 100): Json[] => some.slice(0, most).map(entry);
  const collected = ({ tweets: ids }: Collection): Json[] => shown(newestFirst.filter(({ id }) => ids.includes(id)));

  switch (endpoint) {
    case 'token-info':
      return tokenInfo(used);
    case 'user-profile': {
      const named = accounts.find(({ handle }) => handle.toLowerCase() === value.toLowerCase());
      return named && profileOf(data, named);
    }
    case 'user-tweets': {
      const own = newestFirst.filter(({ author, replyTo }) => author === value && replyTo === undefined);
      if (!account || own.length === 0) return undefined;
      const page = pageOf(own, cursor, pageSize);
      if (page === undefined) return 'bad cursor';
      const entries: Json[] = page.items.map((tweet) => ({
        entryId: `tweet-${tweet.id}`,
        content: { tweet: { ...plainTweet(data, tweet), has_media: false } },
      }));
      if (page.next !== undefined) entries.push(cursorEntry(page.next));
      return { user: { result: referenceOf(account) }, timeline: { instructions: [{ entries }] } };
    }
    case 'user-tweets-replies': {
      const own = newestFirst.filter(({ author }) => author === value).slice(0, mostShown.others ?? 100);
      if (!account || own.length === 0) return undefined;
      const entries = own.map((tweet) => ({
        entryId: `tweet-${tweet.id}`,
        content: { tweet: withParent(data, tweet) },
      }));
      return { user: referenceOf(account), timeline: { instructions: [{ entries }] } };
    }
    case 'followers':
    case 'following': {
      const page = account && pageOf(account[endpoint] ?? [], cursor, pageSize);
      if (!account || !page) return account && 'bad cursor';
      const people = page.items.flatMap((id) => accounts.filter((other) => other.id === id));
      const entries = people.map((other) => ({
        entryId: `user-${other.id}`,
        content: { user: summaryOf(data, other) },
      }));
      const onward = page.next === undefined ? {} : { cursor: { value: page.next, cursorType: 'Bottom' } };
      return { user: referenceOf(account), [endpoint]: { timeline: { instructions: [{ entries, ...onward }] } } };
    }
    case 'tweet-detail': {
      const tweet = tweets.find(({ id }) => id === value);
      if (!tweet) return undefined;
      const replies = tweets.filter(({ replyTo }) => replyTo === value).slice(0, mostShown.replies);
      const entries = replies.map((reply) => nestedReply(data, reply));
      return { tweet: { ...withAuthor(data, tweet), rest_id: tweet.id, replies: { entries } } };
    }
    case 'search': {
      const found = shown(search(data, value), mostShown.search ?? 20);
      return {
        search_metadata: { query: value, count: found.length },
        timeline: { instructions: [{ entries: found }] },
      };
    }
    case 'community-tweets': {
      const one = communities.find(({ id }) => id === value);
      return one && { community: described(one), tweets: { instructions: [{ entries: collected(one) }] } };
    }
    default: {
      const one = lists.find(({ id }) => id === value);
      return one && { list: described(one), tweets: { entries: collected(one) } };
    }
  }
}

/** A page of a list. Cursors are opaque to callers: `page-` and how many items come before. */
function pageOf<T>(
  items: readonly T[],
  cursor: unknown,
  size: number,
): { items: readonly T[]; next?: string } | undefined {
  const from = cursor === undefined ? 0 : Number(/^page-(\d+)$/.exec(typeof cursor === 'string' ? cursor : '')?.[1]);
  if (Number.isNaN(from)) return undefined;
  const next = from + size < items.length ? { next: `page-${from + size}` } : {};
  return { items: items.slice(from, from + size), ...next };
}

/** The cursor entry of user-tweets. */
const cursorEntry = (value: unknown): Json => ({
  entryId: `cursor-bottom-${String(value)}`,
  sortIndex: '0',
  content: {
    entryType: 'TimelineTimelineCursor',
    __typename: 'TimelineTimelineCursor',
    value,
    cursorType: 'Bottom',
  },
});

const described = ({ id, name }: Collection): Json => ({ id, name, description: `About ${name}` });
const referenceOf = ({ id, handle }: Account): Json => ({
  id,
  rest_id: id,
  name: `Name ${handle}`,
  screen_name: handle,
});

function plainTweet({ tweets = [] }: DataSet, { id, text: words, at }: Tweet): Json {
  const replies = tweets.filter(({ replyTo }) => replyTo === id).length;
  const counts = { favorite_count: 1, retweet_count: 2, reply_count: replies, quote_count: 4 };
  return { id, text: words, created_at: new Date(at).toISOString(), ...counts, media: [] };
}

function authorOf({ accounts = [] }: DataSet, id: string): Json {
  const author = accounts.find((account) => account.id === id);
  return author ? { author: { id, name: `Name ${author.handle}`, screen_name: author.handle } } : {};
}

const withAuthor = (data: DataSet, tweet: Tweet): Json => ({
  ...plainTweet(data, tweet),
  ...authorOf(data, tweet.author),
});

function withParent(data: DataSet, tweet: Tweet): Json {
  const parent = data.tweets?.find(({ id }) => id === tweet.replyTo);
  if (!parent) return plainTweet(data, tweet);
  const to = data.accounts?.find(({ id }) => id === parent.author);
  const reply = { in_reply_to_status_id: parent.id, in_reply_to_user_id: parent.author };
  return { ...plainTweet(data, tweet), ...reply, in_reply_to_screen_name: to?.handle };
}

function nestedReply(data: DataSet, reply: Tweet): Json {
  const tweet = {
    id: reply.id,
    text: reply.text,
    created_at: new Date(reply.at).toISOString(),
    ...authorOf(data, reply.author),
  };
  return { entryId: `tweet-${reply.id}`, content: { tweet } };
}

function summaryOf(data: DataSet, account: Account): Json {
  const { followers, following, description } = profileOf(data, account);
  const counts = { followers_count: followers, following_count: following };
  return {
    ...referenceOf(account),
    profile_image_url: `https://images.test/${account.id}.png`,
    description,
    ...counts,
    verified: false,
  };
}

function profileOf({ tweets = [] }: DataSet, account: Account): Json {
  const own = tweets.filter(({ author }) => author === account.id);
  return {
    type: 'user',
    userName: account.handle,
    url: `https://microblog.test/${account.handle}`,
    id: account.id,
    name: `Name ${account.handle}`,
    isBlueVerified: false,
    profilePicture: `https://images.test/${account.id}.png`,
    coverPicture: `https://images.test/${account.id}-cover.png`,
    description: `About ${account.handle}`,
    location: 'Somewhere',
    followers: account.followers?.length ?? 0,
    following: account.following?.length ?? 0,
    canDm: true,
    createdAt: '2015-06-01T12:00:00.000Z',
    favouritesCount: 0,
    hasCustomTimelines: false,
    isTranslator: false,
    mediaCount: 0,
    statusesCount: own.length,
    ...account.profile,
  };
}

function tokenInfo(used: number): Json {
  const account = { app_id: '1', app_name: 'conformance', organization: 'tests' };
  const resetAt = new Date(Date.now() + 900_000).toISOString();
  return {
    token_type: 'bearer',
    app_limit: LIMIT,
    remaining: LIMIT - used,
    reset_at: resetAt,
    account,
    request_history: [],
  };
}

/** Tweets that have all the words of a query; `from:`, `since:` and `until:` as specified. Newest first among equals. */
function search(data: DataSet, query: string): Tweet[] {
  const terms = query.split(/\s+/).filter((term) => term !== '');
  const matches = (tweet: Tweet, term: string): boolean => {
    const [, operator, value = ''] = /^(from|since|until):(.+)$/.exec(term) ?? [];
    if (operator === 'from') return data.accounts?.find(({ handle }) => handle === value)?.id === tweet.author;
    if (operator === 'since') return tweet.at >= Date.parse(value);
    if (operator === 'until') return tweet.at < Date.parse(value);
    return tweet.text.toLowerCase().split(/\s+/).includes(term.toLowerCase());
  };
  const found = (data.tweets ?? []).filter((tweet) => terms.every((term) => matches(tweet, term)));
  return found.sort((a, b) => b.at - a.at);
}
