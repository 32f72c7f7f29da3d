import type { Dispatcher } from 'undici';
import { concatBuffers } from './concat-buffers.ts';

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

    const abort = (reason: 'signal' | 'deadline') => (): void =>
      stop(new AbortedExchangeError(reason, controller !== undefined));
    const onAbort = abort('signal');
    const timer = setTimeout(abort('deadline'), timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });

    function succeed({ status, headers }: Pick<HttpResponse, 'status' | 'headers'>): void {
      release();
      resolve({ status, headers, body: concatBuffers(chunks) });
    }
    function fail(error: Error): void {
      // An error response is complete with its status, even if its body breaks off.
      if (head && !isSuccess(head.status)) return succeed(head);
      release();
      reject(error);
    }
    function stop(reason: Error): void {
      stopReason = reason;
      fail(reason);
      controller?.abort(reason);
    }
    function release(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
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
      onResponseEnd: () => succeed(head!),
      onResponseError: (_, error) => fail(error),
    });
  });
}
