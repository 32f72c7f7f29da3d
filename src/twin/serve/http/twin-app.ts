import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Clock, SECOND, systemClock } from '../../../base/clock.ts';
import { createLog, type Log } from '../../../base/log.ts';
import { createChangeDetector } from '../../../store/sqlite/change-detector.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import type { FaultsOptions } from '../../faults/fault-injector.ts';
import { createStateCache } from '../byte-cache.ts';
import { ensureCursorSecret } from '../cursor-secret.ts';
import { badRequest, rootCause, type Problem, PROBLEM_TYPE, renderProblem, toProblem } from '../problems.ts';
import { createCursors } from '../queries/served-cursors.ts';
import { createKeyQuota } from '../quota/key-quota.ts';
import { openTwinFile } from '../quota/twin-file.ts';
import { createVerifier } from '../quota/twin-keys.ts';
import { createUsageHistory } from '../quota/usage-history.ts';
import { addFaults } from './fault-layer.ts';
import { createFollowingCache } from './following-cache.ts';
import { registerHealthRoute } from './health.ts';
import { rejectMalformedRequest } from './malformed-requests.ts';
import { readBody } from './request-parameters.ts';
import { type PageSizes, registerRoutes } from './routes.ts';
import { createTwinQueries } from './twin-queries.ts';

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
