import { createEventQueue, type EventQueue } from './event-queue.ts';
import type { StoreHandle } from './store-handle.ts';
import { toTypedError } from './typed-errors.ts';

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
