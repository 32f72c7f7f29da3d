import type { AddressInfo } from 'node:net';
import { SECOND, systemClock } from '#base/clock.ts';
import { createResourceStack } from '#base/disposable-stack.ts';
import { createListenError, listBaseUrls } from '#base/listen.ts';
import type { Log } from '#base/log.ts';
import type { QueueReading } from '#crawl/queue/queue-snapshot.ts';
import { createToken } from './http/access.ts';
import type { ActionTable } from './http/actions.ts';
import { loadAssets } from './http/assets.ts';
import { buildDashboardApp } from './http/dashboard-app.ts';
import { createLiveUpdates } from './http/send-live-updates.ts';
import type { ReadSettings } from './reader/read.ts';
import { createReader, createReaderPool } from './reader/reader-process.ts';
import { createQueryRuns } from './runs/query-runs.ts';

export interface DashboardOptions {
  readonly settings: ReadSettings;
  readonly host: string;
  /** Further names that requests may be for, such as that of a proxy. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** 0 selects any free port. */
  readonly port: number;
  /** The option that gives the address, for errors. */
  readonly addressOption?: string | undefined;
  /** The token of the user; a random one by default. */
  readonly token?: string | undefined;
  /** The changes that pages may make; undefined for a dashboard that only reads. */
  readonly actions?: ActionTable | undefined;
  readonly readQueue: () => Promise<QueueReading>;
  /** The environment of reader processes, without secrets. */
  readonly env: Readonly<Record<string, string>>;
  readonly log: Log;
}

/** An address of a dashboard. */
export interface DashboardAddress {
  /** The base URL, without a trailing slash. */
  readonly url: string;
  /** The address that signs a browser in. */
  readonly signInUrl: string;
}

/** A running dashboard, with its address on this machine. Disposal ends its connections and processes. */
export interface RunningDashboard extends DashboardAddress, AsyncDisposable {
  /** Further addresses, for other machines, if it listens on all of them. */
  readonly others: readonly DashboardAddress[];
}

/** The maximum duration of a read for a page. */
const READ_TIMEOUT_MS = 20 * SECOND;
/** A slow read for one page does not delay those of another one, and none delays the live updates. */
const PAGE_READERS = 2;

/**
 * Serves the dashboard of an existing store.
 * @throws TrawlError if it is not built, or if the address is not available
 */
export async function startDashboard(options: DashboardOptions): Promise<RunningDashboard> {
  const { settings, host, allowedHosts, port, token = createToken(), actions, env, log } = options;
  await using building = createResourceStack();
  const assets = loadAssets();
  const readQueue = shareReading(options.readQueue);
  const openReader = () => building.use(createReader({ timeoutMs: READ_TIMEOUT_MS, env }));
  const reader = createReaderPool(Array.from({ length: PAGE_READERS }, openReader));
  const runs = building.use(createQueryRuns({ settings, reader, env }));
  const live = building.use(createLiveUpdates({ reader: openReader(), settings, readQueue, clock: systemClock }));
  const parts = { settings, host, allowedHosts, token, actions, assets, reader, runs, live, readQueue, log };
  const app = buildDashboardApp(parts);
  building.use({ [Symbol.asyncDispose]: () => app.close() });
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw createListenError(host, port, error, options.addressOption);
  }
  const [own, ...others] = listBaseUrls(app.server.address() as AddressInfo).map((url) => ({
    url,
    signInUrl: `${url}/?token=${encodeURIComponent(token)}`,
  }));
  return { ...own!, others, ...building.move() };
}

/** The state of the queue is shared by all requests of this time. */
const QUEUE_AGE_MS = SECOND / 2;

function shareReading(read: () => Promise<QueueReading>): () => Promise<QueueReading> {
  let last: { readonly at: number; readonly reading: Promise<QueueReading> } | undefined;
  return () => {
    const at = performance.now();
    if (!last || at - last.at > QUEUE_AGE_MS) last = { at, reading: read() };
    return last.reading;
  };
}
