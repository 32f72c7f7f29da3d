import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#base/clock.ts';
import {
  API_KEY_HEADER,
  type Endpoint,
  type EndpointName,
  endpointTable,
  extendedTable,
  STATUS_MEANINGS,
  cursorParameter,
  type Parameter,
} from '#service/contract/endpoints.ts';
import type { ChangeToken } from '#store/sqlite/change-detector.ts';
import type { Db } from '#store/sqlite/database.ts';
import { type createStateCache, createByteCache } from '#twin/serve/byte-cache.ts';
import { badRequest, Problem, REQUEST_ERRORS } from '#twin/serve/problems.ts';
import type { Cursors } from '#twin/serve/queries/served-cursors.ts';
import type { KeyQuota } from '#twin/serve/quota/key-quota.ts';
import type { ApiKey } from '#twin/serve/quota/twin-keys.ts';
import type { UsageHistory } from '#twin/serve/quota/usage-history.ts';
import { encodeBody } from './encode-body.ts';
import { servedEndpoints } from './endpoint-handlers.ts';
import type { TwinQueries } from './twin-queries.ts';

const HEALTH_PATH = '/healthz';

/** Registers the health check, which needs no key. */
export function registerHealthRoute(app: FastifyInstance, db: Db): void {
  const probe = db.$client.prepare('select 1 from users limit 1');
  app.get(HEALTH_PATH, { exposeHeadRoute: true }, (_request, reply) => {
    try {
      probe.get();
    } catch {
      throw new Problem(503, 'The store cannot be read.', { 'retry-after': '1' });
    }
    void reply.send({ status: 'ok' });
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The verified API key; null before that. */
    caller: ApiKey | null;
    /** The endpoint; undefined for any other path. */
    endpoint: Endpoint | undefined;
  }
}

export type PageSizes = Readonly<Partial<Record<EndpointName, number>>>;

export interface RouteOptions {
  readonly queries: TwinQueries;
  /** Identifies the current state of the store. */
  readonly readState: () => ChangeToken;
  readonly responseCache: ReturnType<typeof createStateCache<string>>;
  readonly verify: (key: string) => ApiKey | undefined;
  readonly quota: KeyQuota;
  readonly history: UsageHistory;
  readonly cursors: Cursors;
  readonly followingCache: FollowingCache;
  readonly clock: Clock;
  readonly pageSize: number | PageSizes;
  /** Whether every list of tweets has cursors. */
  readonly extended: boolean;
}

/** HEAD is GET without content (RFC 9110, 9.3.2) and costs the same quota. */
const METHODS = ['GET', 'HEAD', 'POST'];
const KEY_HEADER = API_KEY_HEADER.toLowerCase();
const JSON_TYPE = 'application/json; charset=utf-8';
const byPath = new Map(Object.values(endpointTable).map((endpoint) => [endpoint.path, endpoint]));

const pathOf = (url: string): string => {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
};

/** Returns the endpoint of a request of any method; undefined for any other path. */
export const endpointOf = (request: FastifyRequest): Endpoint | undefined =>
  byPath.get(pathOf(request.url)) ?? byPath.get(request.routeOptions.url ?? '');

/** Allowed methods by path. */
const METHODS_BY_PATH: ReadonlyMap<string, readonly string[]> = new Map([
  ...[...byPath.keys()].map((path) => [path, METHODS] as const),
  [HEALTH_PATH, ['GET', 'HEAD']],
]);

/**
 * Registers the endpoints of the contract. A request is checked for its
 * key, then its parameters, then the quota. A request that fails the first two costs nothing; any other costs one, also
 * if it finds nothing.
 */
export function registerRoutes(app: FastifyInstance, options: RouteOptions): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('endpoint', undefined);
  // Callbacks instead of promises, which would cost as much as the hooks themselves.
  app.addHook('onRequest', (request, _reply, done) => done(authenticate(request)));
  for (const endpoint of Object.values(options.extended ? extendedTable : endpointTable)) {
    const respond = createHandler(endpoint, options);
    const handler = (request: FastifyRequest, reply: FastifyReply): void =>
      void reply.header('content-type', JSON_TYPE).send(respond(request));
    app.route({ method: METHODS, url: endpoint.path, handler });
  }

  function authenticate(request: FastifyRequest): Problem | undefined {
    request.endpoint = endpointOf(request);
    if (request.is404) return createRouteProblem(request);
    if (request.routeOptions.url === HEALTH_PATH) return undefined;
    const key = request.headers[KEY_HEADER];
    request.caller = (typeof key === 'string' ? options.verify(key) : undefined) ?? null;
    if (!request.caller) return new Problem(401, STATUS_MEANINGS[401]);
    return request.method === 'POST' && !isJson(request) ? new Problem(415, REQUEST_ERRORS[415]!) : undefined;
  }
}

function createHandler(endpoint: Endpoint, options: RouteOptions) {
  const { queries, readState, responseCache, quota, history, cursors, followingCache, clock } = options;
  const served = servedEndpoints[endpoint.name];
  const configuredSize = typeof options.pageSize === 'number' ? options.pageSize : options.pageSize[endpoint.name];
  const pageSize = configuredSize ?? served.pageSize;

  return (request: FastifyRequest): Buffer => {
    const key = request.caller!;
    const parameters = readParameters(endpoint, sourceOf(request));
    const target = targetParameter(endpoint, parameters);
    const scope = { endpoint: endpoint.name, target };
    const parametersJson = JSON.stringify(parameters);
    const followingBody = served.isCached ? followingCache.find(parametersJson) : undefined;
    if (followingBody) return followingBody;
    // token-info depends on more than the store and is not cached. A cursor of a cached response is valid.
    const name = endpoint.metered ? `${endpoint.name} ${parametersJson}` : undefined;
    responseCache.beginRead(readState());
    const cachedBody = name === undefined ? undefined : responseCache.find(name);
    const after = cachedBody ? undefined : openCursor(parameters);
    if (endpoint.metered) chargeRequest(key);
    if (cachedBody) return cacheFollowing(cachedBody);
    const data = served.handle(target, {
      queries,
      key,
      pageSize,
      after,
      cursor: endpoint.cursor === 'none' ? undefined : (position) => cursors.encode(scope, position),
      usage: () => quota.usage(key, clock.now()),
      history: () => history.latest(key.id),
    });
    if (!data) throw new Problem(404, endpoint.notFound ?? 'Not found.');
    const body = encodeBody(data);
    if (name !== undefined) responseCache.store(name, body);
    return cacheFollowing(body);

    function cacheFollowing(response: Buffer): Buffer {
      if (served.isCached) followingCache.store(parametersJson, response);
      return response;
    }

    function openCursor({ [CURSOR_PARAMETER]: cursor }: Parameters) {
      if (cursor === undefined) return undefined;
      const position = cursors.decode(scope, cursor);
      if (!position) throw badRequest(`The parameter ${CURSOR_PARAMETER} is not a cursor of this list.`);
      return position;
    }
  };

  function chargeRequest(key: ApiKey): void {
    const waitMs = quota.take(key, clock.now());
    if (waitMs === 0) return;
    throw new Problem(429, `The quota of ${key.limit} requests per ${key.windowMs / 1000} s is used up.`, {
      'retry-after': String(Math.ceil(waitMs / 1000)),
    });
  }
}

/** Returns the parameters of a request: its query or its body (spec, General rules, 3). */
export const sourceOf = ({ method, body = {}, url, query }: FastifyRequest): unknown =>
  method === 'POST' ? body : readQuery(url, query);

function createRouteProblem(request: FastifyRequest): Problem {
  const allowed = METHODS_BY_PATH.get(pathOf(request.url));
  if (!allowed) return new Problem(404, 'The path does not exist.');
  const allow = allowed.join(', ');
  return new Problem(405, `This path only accepts ${allow}.`, { allow });
}

const isJson = (request: FastifyRequest): boolean =>
  request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';

export type Parameters = Readonly<Record<string, string>>;

/** The spec does not name the cursor parameter of followers and following; they use that of user-tweets. */
export const CURSOR_PARAMETER = cursorParameter.name;

/** No id, name or cursor is longer; the limit also bounds the cost of a search. */
const MAX_LENGTH = 1000;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses the JSON of a body; an empty one is an empty object.
 * @throws Problem 400 if it is not JSON in UTF-8
 */
export function readBody(bytes: Buffer): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw badRequest('The body is not UTF-8.');
  }
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    throw badRequest('The body is not JSON.');
  }
}

/**
 * Returns the query that Fastify parsed.
 * @throws Problem 400 for invalid percent-encoding, which Fastify leaves as it is
 */
function readQuery(url: string, query: unknown): unknown {
  if (!url.includes('%')) return query;
  try {
    decodeURIComponent(url);
    return query;
  } catch {
    throw badRequest('The URL is invalid: its percent-encoding is not UTF-8.');
  }
}

/**
 * Reads the parameters of an endpoint from a query or a JSON body. Others are ignored; an empty one counts as missing.
 * @throws Problem 400 that names the parameter
 */
export function readParameters(endpoint: Endpoint, source: unknown): Parameters {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) {
    throw badRequest('The body must be a JSON object of parameters.');
  }
  const sent = source as Record<string, unknown>;
  const parameters: Record<string, string> = {};
  for (const { name, required } of acceptedParameters(endpoint)) {
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
    if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) {
      if (required) throw badRequest(`The required parameter ${name} is missing.`);
      continue;
    }
    if (typeof value !== 'string') throw badRequest(`The parameter ${name} must be a single string.`);
    if (value.length > MAX_LENGTH) throw badRequest(`The parameter ${name} is longer than ${MAX_LENGTH} characters.`);
    parameters[name] = value;
  }
  return parameters;
}

/** Returns the parameters of the spec, and the cursor if the endpoint has one. */
function acceptedParameters({ parameters, cursor }: Endpoint): readonly Parameter[] {
  const listed = cursor === 'none' || parameters.some(({ name }) => name === CURSOR_PARAMETER);
  return listed ? parameters : [...parameters, cursorParameter];
}

/** Returns the value of the required parameter; empty if there is none. */
export function targetParameter(endpoint: Endpoint, parameters: Parameters): string {
  const name = endpoint.parameters.find(({ required }) => required)?.name;
  return name === undefined ? '' : parameters[name]!;
}

type FollowingCache = ReturnType<typeof createFollowingCache>;

/**
 * Caches responses of `following` by their parameters for a time (spec, endpoint rule 5). Unlike other responses, they
 * outlive changes of the store and cost no quota.
 * @param ttlMs how long a response is valid, in milliseconds; 0 disables the cache
 */
export function createFollowingCache({ clock, ttlMs, maxBytes }: { clock: Clock; ttlMs: number; maxBytes: number }) {
  const cache = createByteCache<string>(maxBytes);
  /** When responses expire, the first one first. */
  const expiries = new Map<string, number>();
  return {
    find: (parameters: string): Buffer | undefined =>
      clock.now() < (expiries.get(parameters) ?? 0) ? cache.find(parameters) : undefined,
    store(parameters: string, body: Buffer): void {
      if (ttlMs <= 0) return;
      const now = clock.now();
      cache.store(parameters, body);
      expiries.delete(parameters);
      expiries.set(parameters, now + ttlMs);
      for (const [oldest, until] of expiries) {
        if (now < until) return;
        cache.remove(oldest);
        expiries.delete(oldest);
      }
    },
  };
}
