import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import { API_KEY_HEADER, type Endpoint, type EndpointName, endpointTable } from '../contract/endpoints.ts';
import type { Cursors } from './cursors.ts';
import { type Served, served } from './endpoints.ts';
import type { Reads } from './handler.ts';
import type { History } from './history.ts';
import type { ApiKey } from './keys.ts';
import { CURSOR, type Parameters, readParameters, readQuery, targetOf } from './parameters.ts';
import { badRequest, Problem, unauthorized, unsupportedMediaType } from './problems.ts';
import type { Quota } from './quota.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose key the request carries; null until it was found good. */
    caller: ApiKey | null;
  }
}

export type PageSizes = Readonly<Partial<Record<EndpointName, number>>>;

export interface RouteOptions {
  readonly reads: Reads;
  readonly verify: (key: string) => ApiKey | undefined;
  readonly quota: Quota;
  readonly history: History;
  readonly cursors: Cursors;
  readonly clock: Clock;
  readonly pageSize: number | PageSizes;
}

const METHODS = ['GET', 'POST'];
const byPath = new Map(Object.values(endpointTable).map((endpoint) => [endpoint.path, endpoint]));

/** The endpoint that a request is for, whatever its method; undefined for any other path. */
export const endpointOf = (request: FastifyRequest): Endpoint | undefined =>
  byPath.get(request.routeOptions.url ?? request.url.split('?', 1)[0]!);

/**
 * Registers the contract's endpoints. A request passes the key, then the parameters (a cursor is one), then the quota:
 * one that is refused before costs nothing, any other costs one, also when it finds nothing.
 */
export function registerRoutes(app: FastifyInstance, options: RouteOptions): void {
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request) => {
    if (request.is404) throw strayed(request);
    const key = request.headers[API_KEY_HEADER.toLowerCase()];
    request.caller = (typeof key === 'string' ? options.verify(key) : undefined) ?? null;
    if (!request.caller) throw unauthorized();
    if (request.method === 'POST' && !isJson(request)) throw unsupportedMediaType();
  });
  for (const endpoint of Object.values(endpointTable)) {
    const answer = answering(endpoint, served[endpoint.name as EndpointName], options);
    app.route({ method: METHODS, url: endpoint.path, handler: async (request) => answer(request) });
  }
}

function answering(endpoint: Endpoint, row: Served, options: RouteOptions) {
  const { reads, quota, history, cursors, clock } = options;
  const pageSize = sizeOf(endpoint.name as EndpointName, row, options.pageSize);

  return (request: FastifyRequest): { data: object } => {
    const key = request.caller!;
    const parameters = readParameters(endpoint, sourceOf(request));
    const target = targetOf(endpoint, parameters);
    const walk = { endpoint: endpoint.name, target };
    const after = openCursor(parameters);
    if (endpoint.metered) spend(key);
    const data = row.handle(target, {
      reads,
      key,
      pageSize,
      after,
      cursor: (position) => cursors.seal(walk, position),
      usage: () => quota.usage(key, clock.now()),
      history: () => history.latest(key.id),
    });
    if (!data) throw new Problem(404, endpoint.notFound ?? 'There is no such thing.');
    return { data };

    function openCursor({ [CURSOR]: cursor }: Parameters) {
      if (cursor === undefined) return undefined;
      const position = cursors.open(walk, cursor);
      if (!position) throw badRequest(`The parameter ${CURSOR} is not a cursor that this list gave.`);
      return position;
    }
  };

  function spend(key: ApiKey): void {
    const waitMs = quota.take(key, clock.now());
    if (waitMs === 0) return;
    throw new Problem(429, `The quota of ${key.limit} requests per ${key.windowMs / 1000} s is used up.`, {
      'retry-after': String(Math.ceil(waitMs / 1000)),
    });
  }
}

/** Where a request carries its parameters (spec, General rules, 3). */
const sourceOf = ({ method, body, url, query }: FastifyRequest): unknown =>
  method !== 'POST' ? readQuery(url, query) : body === undefined ? {} : body;

const sizeOf = (name: EndpointName, row: Served, given: number | PageSizes): number =>
  (typeof given === 'number' ? given : given[name]) ?? row.pageSize;

function strayed(request: FastifyRequest): Problem {
  if (!endpointOf(request)) return new Problem(404, 'There is no such path.');
  return new Problem(405, 'Every endpoint accepts GET and POST, and nothing else.', { allow: METHODS.join(', ') });
}

const isJson = (request: FastifyRequest): boolean =>
  request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
