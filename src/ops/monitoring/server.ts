import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { Histogram, Registry } from 'prom-client';
import { SECOND, systemClock } from '#base/clock.ts';
import { createListenError, formatBaseUrl, isOwnHost } from '#base/listen.ts';
import type { Log } from '#base/log.ts';
import type { StoreQueries } from '#store/schema/query-results.ts';
import { registerStateGauges, type StoreState } from './state-gauges.ts';
import { createWorkMetrics } from './work-metrics.ts';
import { checkReadiness, readShipLags, STARTING, createSharedStateReader, type MonitoredWork } from './work-state.ts';

/** Health and metrics of a worker over HTTP. Disposal closes the server. */
export type MonitoringServer = Awaited<ReturnType<typeof startMonitoringServer>>;

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const MAX_CONNECTIONS = 64;
const toJson = (status: number, value: unknown): Answer => ({
  status,
  type: 'application/json; charset=utf-8',
  body: `${JSON.stringify(value)}\n`,
});

/**
 * Starts a server of /healthz, /readyz and /metrics without authentication, for requests to its own host. Responses contain no
 * names of accounts.
 * @throws TrawlError if it cannot listen on the address
 */
export async function startMonitoringServer(options: {
  readonly host: string;
  /** 0 selects any free port. */
  readonly port: number;
  readonly log: Log;
}) {
  const { host, port, log } = options;
  const counters = new Registry();
  const observer = createWorkMetrics(counters);
  let attached: Readers | undefined;

  const routes = createRoutes(counters, () => attached);

  async function answer(request: IncomingMessage): Promise<Answer> {
    if (!isOwnHost(request.headers.host, host)) return toJson(421, { error: 'this server is not for this name' });
    const [path] = (request.url ?? '/').split('?', 1);
    const route = routes[path!];
    if (!route) return toJson(404, { error: `not found; the paths are ${Object.keys(routes).join(', ')}` });
    if (request.method !== 'GET' && request.method !== 'HEAD') return toJson(405, { error: 'use GET or HEAD' });
    return await route();
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const found = await answer(request).catch((error: unknown) => {
      log.warn({ error: (error as Error).message }, 'monitoring: a request failed');
      return toJson(500, { error: 'the state cannot be read; the log has the cause' });
    });
    send(found, request.method, response);
  }

  const server = createServer(
    { requestTimeout: 10 * SECOND, headersTimeout: 5 * SECOND, keepAliveTimeout: 5 * SECOND },
    (request, response) => void respond(request, response),
  );
  server.maxConnections = MAX_CONNECTIONS;
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (error) {
    throw createListenError(host, port, error);
  }
  const lag = measureEventLoopLag(counters);
  return {
    /** Receives the requests, commits and quota events to count. */
    observer,
    /** Its base URL, without a trailing slash. */
    url: formatBaseUrl(server.address() as AddressInfo),
    /** Attaches the worker whose state is served. Until then, the server reports that it is not ready. */
    attach(work: MonitoredWork): void {
      attached = createReaders(work);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      lag[Symbol.dispose]();
      attached = undefined;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function send({ status, type, body }: Answer, method: string | undefined, response: ServerResponse): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
  });
  response.end(method === 'HEAD' ? undefined : body);
}

type Readers = ReturnType<typeof createReaders>;

/** @param findReaders returns undefined until a worker is attached */
function createRoutes(
  counters: Registry,
  findReaders: () => Readers | undefined,
): Readonly<Record<string, () => Answer | Promise<Answer>>> {
  return {
    // Checks only that the event loop runs: a restart would not end an outage of Redis, the disk or the service.
    '/healthz': () => toJson(200, { status: 'ok' }),
    async '/readyz'() {
      const attached = findReaders();
      const { isReady, checks } = attached ? checkReadiness(attached.work, await attached.readShared()) : STARTING;
      return toJson(isReady ? 200 : 503, { status: isReady ? 'ready' : 'not ready', checks });
    },
    async '/metrics'() {
      const attached = findReaders();
      const gauges = new Registry();
      if (attached) registerStateGauges(gauges, await readState(attached), await attached.readShared());
      const body = await Registry.merge([counters, gauges]).metrics();
      return { status: 200, type: counters.contentType, body };
    },
  };
}

async function readState({ work, readCrawls }: Readers): Promise<StoreState> {
  const lags = await readShipLags(work, systemClock.now());
  return { storePath: work.store.path, ...(await readCrawls()), disk: work.disk.readDisk(), lags };
}

const createReaders = (work: MonitoredWork) => ({
  work,
  readShared: createSharedStateReader(work),
  readCrawls: createCrawlReader(work.store.queries),
});

/** The share of its time that a process may spend on reading crawls. */
const MAX_SHARE = 0.01;

/**
 * Returns a reader of the figures of crawls. Counting millions of crawls takes a tenth of a second, so a result is reused for
 * a hundred times as long as it took.
 */
function createCrawlReader(
  queries: Pick<StoreQueries, 'crawlCounts' | 'jobSuccesses'>,
): () => Promise<Pick<StoreState, 'counts' | 'successes'>> {
  let figures: Pick<StoreState, 'counts' | 'successes'> | undefined;
  let validUntil = -Infinity;
  return async () => {
    const start = performance.now();
    if (figures && start < validUntil) return figures;
    figures = { counts: await queries.crawlCounts(), successes: await queries.jobSuccesses() };
    const end = performance.now();
    validUntil = end + (end - start) / MAX_SHARE;
    return figures;
  };
}

const LAG_INTERVAL_MS = 100;

/** Registers a histogram of the lag of this process's event loop, measured ten times a second until disposal. */
function measureEventLoopLag(registry: Registry): Disposable {
  const lag = new Histogram({
    name: 'trawl_event_loop_lag_seconds',
    help: 'Delay of timers of the event loop.',
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    lag.observe(Math.max(0, now - last - LAG_INTERVAL_MS) / 1000);
    last = now;
  }, LAG_INTERVAL_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
