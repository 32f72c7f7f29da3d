import { answerCrawl } from '#analysis/crawls/describe-crawl.ts';
import type { DiskEvent } from '#crawl/gates/disk-guard.ts';
import { describeDiskEvent, describeOutageEvent } from '#crawl/gates/hold-events.ts';
import type { OutageEvent } from '#crawl/gates/outage/outage-events.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { ProgressSnapshot } from './run/follow-crawls.ts';
import { type StoreHandle, toTypedError } from './store-handle.ts';
import type { CrawlEvent, WorkEvent } from './types.ts';

/** The common interface of the results of `crawl` and `work`. */
interface Run<E, R> extends AsyncIterable<E>, AsyncDisposable {
  readonly done: Promise<R>;
  close(): Promise<void>;
}

/**
 * Starts a task that the signal, `close()` or the closing of its store stops. The iteration also throws an error of the task,
 * which is therefore no unhandled rejection if `done` is not awaited.
 */
export function startRun<E, R>(
  handle: StoreHandle,
  outside: AbortSignal | undefined,
  task: (signal: AbortSignal, events: EventQueue<E>) => Promise<R>,
): Run<E, R> {
  const events = createEventQueue<E>();
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(outside?.reason);
  if (outside?.aborted) onAbort();
  outside?.addEventListener('abort', onAbort);
  const run = async (): Promise<R> => {
    try {
      const result = await task(stop.signal, events);
      events.end();
      return result;
    } catch (thrown) {
      const error = toTypedError(thrown);
      events.end(error);
      throw error;
    } finally {
      outside?.removeEventListener('abort', onAbort);
    }
  };
  const done = run();
  const ended = done.then(
    () => undefined,
    () => undefined,
  );
  const close = async (): Promise<void> => {
    stop.abort();
    await ended;
  };
  handle.own({ close, ended });
  return {
    done,
    close,
    [Symbol.asyncDispose]: close,
    [Symbol.asyncIterator]: () => events[Symbol.asyncIterator](),
  };
}

/** Returns listeners that push the events that workers and runs share. */
export const createWorkListener = (events: Pick<EventQueue<WorkEvent>, 'push'>) => ({
  onWarning: (message: string): void => events.push({ type: 'warning', message }, `warning ${message}`),
  onOutage(event: OutageEvent): void {
    const isOver = event.event === 'closed';
    const endpoints = isOver ? [] : event.endpoints;
    events.push({ type: 'outage', isOver, endpoints, message: describeOutageEvent(event) }, 'outage');
  },
  onDisk(event: DiskEvent): void {
    events.push({ type: 'disk', isOver: event.event === 'enough', message: describeDiskEvent(event) }, 'disk');
  },
});

/** Returns a function that pushes an event for each crawl that has changed since the last call, and for a changed quota. */
export function createChangeReporter(events: Pick<EventQueue<CrawlEvent>, 'push'>) {
  const reported = new Map<number, string>();
  let lastLeft: number | undefined;
  return (rows: readonly CrawlRow[], quota?: ProgressSnapshot['quota']): void => {
    for (const row of rows) {
      const { id, state, reason, error, pages, items, requests } = row;
      const version = [state, reason, error, pages, items, requests].join('\n');
      if (reported.get(id) === version) continue;
      reported.set(id, version);
      events.push({ type: 'crawl', crawl: answerCrawl(row) }, `crawl ${id}`);
    }
    const { limit, estimate: left } = quota ?? {};
    if (limit === undefined || left === undefined || left === lastLeft) return;
    lastLeft = left;
    events.push({ type: 'quota', left, limit }, 'quota');
  };
}

/** The events of a run, which one consumer reads. */
interface EventQueue<E> {
  /** Adds an event. It replaces an unread event with the same key, so that unread events need little memory. */
  push(event: E, key: string): void;
  /** Ends the iteration after the unread events, with the error if one is given. */
  end(error?: Error): void;
  /** All iterators share the events: each is read once. */
  [Symbol.asyncIterator](): AsyncIterator<E, undefined>;
}

function createEventQueue<E>(): EventQueue<E> {
  const unread = new Map<string, E>();
  let ended: { readonly error: Error | undefined } | undefined;
  let waiting: (() => void)[] = [];
  const wake = (): void => {
    const woken = waiting;
    waiting = [];
    for (const resolve of woken) resolve();
  };
  return {
    push(event, key) {
      if (ended) return;
      unread.set(key, event);
      wake();
    },
    end(error) {
      ended ??= { error };
      wake();
    },
    [Symbol.asyncIterator]() {
      let isLeft = false;
      return {
        async next() {
          for (;;) {
            const [first] = unread;
            if (isLeft) return { done: true, value: undefined };
            if (first) {
              unread.delete(first[0]);
              return { done: false, value: first[1] };
            }
            if (ended?.error) throw ended.error;
            if (ended) return { done: true, value: undefined };
            await new Promise<void>((resolve) => waiting.push(resolve));
          }
        },
        async return() {
          isLeft = true;
          wake();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
