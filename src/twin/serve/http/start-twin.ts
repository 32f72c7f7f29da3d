import { STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { SECOND, type Clock, systemClock } from '#base/clock.ts';
import { createListenError, formatBaseUrl } from '#base/listen.ts';
import { createLog, type Log } from '#base/log.ts';
import { createChangeDetector } from '#store/sqlite/change-detector.ts';
import { openDatabase, openReadOnly, type Db } from '#store/sqlite/database.ts';
import { identifyDatabase, type OpenFiles } from '#store/sqlite/file-watch.ts';
import type { FaultsOptions } from '#twin/faults/fault-injector.ts';
import { createStateCache } from '#twin/serve/byte-cache.ts';
import { ensureCursorSecret } from '#twin/serve/cursor-secret.ts';
import { badRequest, rootCause, Problem, PROBLEM_TYPE, renderProblem, toProblem } from '#twin/serve/problems.ts';
import { createCursors } from '#twin/serve/queries/served-cursors.ts';
import { createKeyQuota } from '#twin/serve/quota/key-quota.ts';
import { twinFileOf, openTwinFile } from '#twin/serve/quota/quota-file.ts';
import { listActiveKeys, createVerifier } from '#twin/serve/quota/twin-keys.ts';
import { createUsageHistory } from '#twin/serve/quota/usage-history.ts';
import { addFaults } from './fault-layer.ts';
import { createFollowingCache, registerHealthRoute, readBody, type PageSizes, registerRoutes } from './routes.ts';
import { createTwinQueries } from './twin-queries.ts';

export interface StartOptions extends Omit<TwinOptions, 'db'> {
  readonly file: string;
  /** 0 chooses a free port. */
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  /** What gives the address, for errors. */
  readonly addressOption?: string | undefined;
}

export interface RunningTwin extends AsyncDisposable {
  /** Its base URL, without a trailing slash. */
  readonly url: string;
  /** Number of active API keys at the start. */
  readonly activeKeys: number;
  /** Its open files: the store and the quota file. */
  readonly files: readonly OpenFiles[];
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const CLOSE_WITHIN_MS = 5 * SECOND;

/**
 * Serves a store through a read-only connection. The twin's own state is in a file beside it.
 * @throws TrawlError if the file cannot be opened or the address is not available
 */
export async function startTwin(options: StartOptions): Promise<RunningTwin> {
  const { file, port = 0, host = LOOPBACK, addressOption, ...rest } = options;
  prepareStore(file);
  const db = openReadOnly(file);
  const app = buildTwin({ ...rest, db });
  app.addHook('onClose', async () => void db.$client.close());
  const files = [
    identifyDatabase(file, 'Restart the twin on the file to serve.'),
    identifyDatabase(twinFileOf(file), 'Restart the twin: without that file, the quotas of its keys are reset.'),
  ];
  try {
    await app.listen({ port, host });
  } catch (error) {
    await app.close();
    throw createListenError(host, port, error, addressOption);
  }
  const close = async (): Promise<void> => {
    const timer = setTimeout(() => app.server.closeAllConnections(), CLOSE_WITHIN_MS);
    try {
      await app.close();
    } finally {
      clearTimeout(timer);
    }
  };
  const activeKeys = listActiveKeys(db).length;
  return {
    url: formatBaseUrl(app.server.address() as AddressInfo),
    activeKeys,
    files,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Migrates the store and creates the secret of its cursors, while it is writable. */
function prepareStore(file: string): void {
  const db = openDatabase(file);
  try {
    ensureCursorSecret(db);
  } finally {
    db.$client.close();
  }
}

export interface TwinOptions {
  /** The store. A read-only connection needs a store with the secret of its cursors. */
  readonly db: Db;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
  /** Items per page, of all lists or by endpoint. */
  readonly pageSize?: number | PageSizes | undefined;
  /** Adds the cursors of user-tweets to every list of tweets. */
  readonly extended?: boolean | undefined;
  /** Delay before each response in milliseconds, to simulate a network. */
  readonly latencyMs?: number | undefined;
  /**
   * How long responses of `following` are cached and cost no quota (spec, endpoint rule 5), in milliseconds; 0 by
   * default.
   */
  readonly followingCacheMs?: number | undefined;
  /** Size of the response cache in bytes. */
  readonly cacheBytes?: number | undefined;
  /** Size of the cache of listed users in bytes, 64 MB by default. */
  readonly userCacheBytes?: number | undefined;
  /** Milliseconds in which a request has to arrive, and after which an idle connection is closed. */
  readonly requestMs?: number | undefined;
  readonly idleMs?: number | undefined;
  readonly faults?: FaultsOptions | undefined;
}

const BODY_LIMIT = 64 * 1024;
const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024;

const sendProblem = (reply: FastifyReply, problem: Problem): FastifyReply =>
  reply.code(problem.status).headers(problem.headers).type(PROBLEM_TYPE).send(renderProblem(problem));

/**
 * Creates a server of the service's endpoints over a store: `await twin.listen({ port })`, then `await twin.close()`.
 */
export function buildTwin(options: TwinOptions): FastifyInstance {
  const { db, clock = systemClock, log = createLog({ level: 'silent' }), pageSize = {}, extended = false } = options;
  const { latencyMs = 0, followingCacheMs = 0, cacheBytes = DEFAULT_CACHE_BYTES } = options;
  const secret = ensureCursorSecret(db);
  const twinFile = openTwinFile(db.$client.name);
  const quota = createKeyQuota(twinFile);
  const history = createUsageHistory();
  const app = createServer(options);
  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error);
    if (problem.status >= 500) log.error({ err: rootCause(error), endpoint: request.endpoint?.name }, 'request failed');
    return sendProblem(reply, problem);
  });

  if (latencyMs > 0) app.addHook('onSend', async () => clock.sleep(latencyMs));
  const readAppliedFaults =
    options.faults && addFaults(app, { ...options.faults, clock, extended, onBroken: recordResponse });
  app.addHook('onResponse', (request, reply, done) => {
    recordResponse(request, reply);
    done();
  });

  function recordResponse(request: FastifyRequest, reply: FastifyReply): void {
    const { caller, endpoint, method } = request;
    const status = reply.statusCode;
    if (endpoint?.metered && caller) history.record(caller.id, { endpoint: endpoint.name, at: clock.now(), status });
    const name = endpoint?.name ?? request.routeOptions.url ?? 'none';
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    const faults = readAppliedFaults?.(request) ?? [];
    log.info(
      { endpoint: name, method, status, ms, key: caller?.name, ...(faults.length > 0 && { faults }) },
      'request',
    );
  }

  app.addHook('onClose', async () => {
    quota.close();
    twinFile.close();
  });
  registerHealthRoute(app, db);
  registerRoutes(app, {
    queries: createTwinQueries(db, options.userCacheBytes),
    readState: createChangeDetector(db),
    responseCache: createStateCache(cacheBytes),
    verify: createVerifier(db, twinFile),
    quota,
    history,
    cursors: createCursors(secret),
    followingCache: createFollowingCache({ clock, ttlMs: followingCacheMs, maxBytes: cacheBytes }),
    clock,
    pageSize,
    extended,
  });
  return app;
}

/** Creates a server without routes that reads JSON bodies and has the limits of the options. */
function createServer({ faults, latencyMs = 0, requestMs = 30 * SECOND, idleMs = 60 * SECOND }: TwinOptions) {
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    // A fault plan may delay responses longer than the idle timeout.
    requestTimeout: requestMs,
    connectionTimeout: faults ? 0 : latencyMs + idleMs,
    keepAliveTimeout: idleMs,
    http: { requestTimeout: requestMs, headersTimeout: requestMs, connectionsCheckingInterval: requestMs / 4 },
    exposeHeadRoutes: false,
    // A path that cannot be decoded reaches neither a route nor the error handler.
    frameworkErrors: (_error, _request, reply) =>
      void sendProblem(reply as unknown as FastifyReply, badRequest('The URL is invalid.')),
    clientErrorHandler: rejectMalformedRequest,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, readBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  return app;
}

/** Errors of Node's HTTP parser, by code. Such requests reach neither a route nor a hook. */
const PARSER_PROBLEMS: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: new Problem(431, 'The URL and the headers exceed 16 KB in total.'),
  ERR_HTTP_REQUEST_TIMEOUT: new Problem(408, 'The request took too long to arrive.'),
};
const INVALID_REQUEST = new Problem(400, 'The request is not valid HTTP.');

/** Sends an error response to invalid HTTP, and closes the connection. */
function rejectMalformedRequest(error: Error & { readonly code?: string | undefined }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const problem = PARSER_PROBLEMS[error.code ?? ''] ?? INVALID_REQUEST;
  const body = JSON.stringify(renderProblem(problem));
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `content-type: ${PROBLEM_TYPE}; charset=utf-8`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  return void socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
