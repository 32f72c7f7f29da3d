import type { Dispatcher } from 'undici';
import { concatBuffers } from './decode.ts';

export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** A buffer that owns its memory; of an error response, perhaps only a prefix. */
  readonly body: Buffer;
}

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The exchange ended before the response was complete: by the signal or by the deadline. */
export class AbortedExchangeError extends Error {
  override readonly name = 'AbortedExchangeError';
  readonly reason: 'signal' | 'deadline';
  /** Whether the request was sent; false while it waited for a connection. */
  readonly sent: boolean;

  constructor(reason: 'signal' | 'deadline', sent: boolean) {
    super(`aborted by the ${reason}`);
    this.reason = reason;
    this.sent = sent;
  }
}

export interface RequestOptions {
  readonly request: Dispatcher.DispatchOptions;
  /** The deadline in milliseconds. Its timer is real also in tests with their own clock, since the socket is real. */
  readonly timeoutMs: number;
  /** The number of bytes of an error response to read; the rest is discarded. */
  readonly errorBodyBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/**
 * Sends one request and returns the response. It uses the dispatcher directly: the stream and listeners that `request`
 * creates cost more than receiving a page.
 * @throws AbortedExchangeError or the dispatcher's errors
 */
export function sendRequest(pool: Pick<Dispatcher, 'dispatch'>, options: RequestOptions): Promise<HttpResponse> {
  const { request, timeoutMs, errorBodyBytes, signal } = options;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let head: Pick<HttpResponse, 'status' | 'headers'> | undefined;
    let controller: Dispatcher.DispatchController | undefined;
    let stopReason: Error | undefined;

    const abort = (reason: 'signal' | 'deadline'): void =>
      stop(new AbortedExchangeError(reason, controller !== undefined));
    const onAbort = (): void => abort('signal');
    const timer = setTimeout(() => abort('deadline'), timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });

    function end(error?: Error): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      // An error response is complete with its status, even if its body breaks off.
      if (error && (!head || isSuccess(head.status))) reject(error);
      else resolve({ ...head!, body: concatBuffers(chunks) });
    }
    function stop(reason: Error): void {
      stopReason = reason;
      end(reason);
      controller?.abort(reason);
    }

    pool.dispatch(request, {
      onRequestStart(requestController) {
        controller = requestController;
        // The exchange may have been aborted while it waited for a connection.
        if (stopReason) requestController.abort(stopReason);
      },
      onResponseStart(_, status, headers) {
        if (status >= 200) head = { status, headers };
      },
      onResponseData(_, chunk) {
        chunks.push(chunk);
        size += chunk.length;
        if (size >= errorBodyBytes && !isSuccess(head!.status)) stop(new Error('enough'));
      },
      onResponseEnd: () => end(),
      onResponseError: (_, error) => end(error),
    });
  });
}

/**
 * Returns a function that waits for a turn of the event loop. Each waiting caller gets a turn of its own, so that
 * timers and sockets are served between responses that arrive together.
 */
export function createEventLoopYield(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  function resolveNext(): void {
    waiting.shift()!();
    if (waiting.length > 0) setImmediate(resolveNext);
  }
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(resolveNext);
    });
}
