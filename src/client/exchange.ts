import type { Dispatcher } from 'undici';
import { concatBuffers } from './concat-buffers.ts';

/** An answer as it came. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** In memory of its own; of a refusal, perhaps only the start. */
  readonly body: Buffer;
}

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** An exchange that was ended before a whole answer came. */
class EndedEarlyError extends Error {
  /** Whether the request had left, or waited for a connection still. */
  readonly sent: boolean;

  constructor(message: string, sent: boolean) {
    super(message);
    this.sent = sent;
  }
}

/** There was no whole answer in time. */
export class DeadlineError extends EndedEarlyError {
  override readonly name = 'DeadlineError';
}

/** The signal came before a whole answer did. */
export class AbortedRequestError extends EndedEarlyError {
  override readonly name = 'CutShortError';
}

export interface RequestOptions {
  readonly request: Dispatcher.DispatchOptions;
  /** The longest that it may take. The timer is the real one even where tests own the clock: it guards a real socket. */
  readonly timeoutMs: number;
  /** How much of a refusal's body is of interest: the rest is not waited for. */
  readonly refusalBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/**
 * Sends one request and receives its answer. It works on the dispatcher itself: the stream and the listeners that
 * `request` makes for every answer cost more than receiving a page does.
 * @throws DeadlineError, CutShortError, or the dispatcher's errors.
 */
export function sendRequest(pool: Pick<Dispatcher, 'dispatch'>, options: RequestOptions): Promise<HttpResponse> {
  const { request, timeoutMs, refusalBytes: errorBodyBytes, signal } = options;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let head: Pick<HttpResponse, 'status' | 'headers'> | undefined;
    let controller: Dispatcher.DispatchController | undefined;
    let stopReason: Error | undefined;

    const isSent = (): boolean => controller !== undefined;
    const cancel = (): void => stop(new AbortedRequestError('told to stop', isSent()));
    const timer = setTimeout(() => stop(new DeadlineError('too late', isSent())), timeoutMs);
    signal?.addEventListener('abort', cancel, { once: true });

    function succeed({ status, headers }: Pick<HttpResponse, 'status' | 'headers'>): void {
      release();
      resolve({ status, headers, body: concatBuffers(chunks) });
    }
    function fail(error: Error): void {
      // The status of a refusal says what happens next, whatever becomes of its body.
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
      signal?.removeEventListener('abort', cancel);
    }

    pool.dispatch(request, {
      onRequestStart(requestController) {
        controller = requestController;
        // It may have been stopped while it waited for a connection.
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
