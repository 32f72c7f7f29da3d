import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, SECOND } from '#base/clock.ts';
import { describeError, describeHint, TrawlError } from '#base/errors.ts';
import type { QueueReading } from '#crawl/queue/queue-snapshot.ts';
import { createHintFormat } from '#dashboard/server/reader/format-store-command.ts';
import type { ReadSettings } from '#dashboard/server/reader/read.ts';
import type { Reader } from '#dashboard/server/reader/reader-process.ts';
import type { ChangeToken } from '#store/sqlite/change-detector.ts';

/** Sends server-sent events to all open pages. Disposal ends the streams. */
export interface LiveUpdates extends AsyncDisposable {
  /** Adds the response of a page. Its headers are sent. */
  add(response: ServerResponse): void;
}

/** The store and the queue are checked this often; checks that take long, less often: they take a sixth of the time. */
const INTERVAL_MS = SECOND;
const MAX_SHARE = 5;
/** Also beside slow reads, pages are not much older than this. */
const MAX_INTERVAL_MS = 10 * SECOND;
/** The overview is sent again after this time, since rates and durations change without a commit. */
const REFRESH_MS = 5 * SECOND;
/** A page without an event for some seconds shows that it is not connected. */
const BEAT_MS = 3 * SECOND;
/** A page that reads slower than this gets fewer events. */
const MAX_BUFFERED_BYTES = 1 << 20;

/**
 * Events: `overview` (the data of the page Overview, as `/api/overview`), `problem` (the store cannot be read), and `beat`.
 * Nothing is read while no page is open, and the overview only if the store or the queue has changed, or after some
 * seconds. Reads run in their own process: a slow one delays the next overview and no beat.
 */
export function createLiveUpdates(options: OverviewSource & { readonly clock: Clock }): LiveUpdates {
  const { settings, clock } = options;
  const pages = new Set<ServerResponse>();
  const closed = new AbortController();
  let latest: string | undefined;
  let running: Promise<void> | undefined;

  function send(event: string): void {
    for (const page of pages) if (page.writableLength < MAX_BUFFERED_BYTES) page.write(event);
  }

  const beats = setInterval(() => send(formatEvent('beat', JSON.stringify({ at: clock.now() }))), BEAT_MS);
  beats.unref();

  async function watch(): Promise<void> {
    const read = createOverviewReader(options);
    while (pages.size > 0 && !closed.signal.aborted) {
      const begunAt = performance.now();
      try {
        const json = await read();
        if (json !== undefined) send((latest = formatEvent('overview', json)));
      } catch (error) {
        send((latest = formatEvent('problem', JSON.stringify(describeProblem(error, settings)))));
      }
      const took = performance.now() - begunAt;
      const pause = Math.min(MAX_INTERVAL_MS, Math.max(INTERVAL_MS, MAX_SHARE * took));
      await wait(pause, undefined, { signal: closed.signal }).catch(() => undefined);
    }
    running = undefined;
    latest = undefined;
  }

  return {
    add(response) {
      response.on('close', () => pages.delete(response)).on('error', () => undefined);
      pages.add(response);
      if (latest !== undefined) response.write(latest);
      running ??= watch();
    },
    async [Symbol.asyncDispose]() {
      clearInterval(beats);
      closed.abort();
      for (const page of pages) page.end();
      pages.clear();
      await running;
    },
  };
}

interface OverviewSource {
  readonly reader: Reader;
  readonly settings: ReadSettings;
  readonly readQueue: () => Promise<QueueReading>;
}

/** Returns a function that reads the overview as JSON; undefined if neither the store nor the queue has changed since the last one. */
function createOverviewReader({ reader, settings, readQueue }: OverviewSource): () => Promise<string | undefined> {
  let token: ChangeToken | undefined;
  let queueText: string | undefined;
  let readAt = -Infinity;
  return async () => {
    const begunAt = performance.now();
    const queue = await readQueue();
    const text = JSON.stringify(queue);
    const isDue = text !== queueText || begunAt - readAt >= REFRESH_MS;
    const order = { settings, path: '/api/overview', request: { parameters: {}, query: {}, queue } };
    const unless = isDue ? undefined : token;
    // What fails is read again, whether or not the store has changed.
    token = undefined;
    const result = await reader.read({ ...order, unless });
    [token, queueText] = [result.token, text];
    if (result.json !== undefined) readAt = begunAt;
    return result.json;
  };
}

/** The message of an error, and what to do. */
const describeProblem = (error: unknown, settings: ReadSettings) =>
  error instanceof TrawlError
    ? { message: error.message, hint: describeHint(error, createHintFormat(settings)) }
    : { message: describeError(error) };

/** JSON has no line break, which would end the data. */
const formatEvent = (name: string, json: string): string => `event: ${name}\ndata: ${json}\n\n`;
