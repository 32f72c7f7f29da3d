import type { Clock } from '../clock.ts';
import type { EndpointName } from '../contract/endpoints.ts';
import type { NotFoundError } from '../errors.ts';
import type { ServiceResponse } from './client.ts';

/** The result of a request: a response, or its 404. `at` is when it was sent. */
export type CoalescedResponse =
  | ({ readonly at: number } & Pick<ServiceResponse, 'status' | 'raw' | 'gzip' | 'body'>)
  | { readonly at: number; readonly notFound: NotFoundError };

/** A request. A response to an equal request counts only if that one was sent at `since` (milliseconds UTC) or later. */
export interface CoalescedRequest {
  readonly endpoint: EndpointName;
  readonly parameters: Readonly<Record<string, string>>;
  readonly since: number;
}

export type RequestCoalescer = ReturnType<typeof createRequestCoalescer>;

/** Sends equal concurrent requests of this process once (invariant 9). */
export function createRequestCoalescer({ now }: Pick<Clock, 'now'>) {
  const inFlight = new Map<string, { readonly startedAt: number; readonly response: Promise<CoalescedResponse> }>();

  return {
    /** The response of an equal request in flight; if there is none or it fails, the response of `send`. */
    async coalesce(
      { endpoint, parameters, since }: CoalescedRequest,
      send: () => Promise<CoalescedResponse>,
    ): Promise<CoalescedResponse> {
      const key = `${endpoint} ${JSON.stringify(parameters)}`;
      for (let other = inFlight.get(key); other && other.startedAt >= since; other = inFlight.get(key)) {
        // A failure is reported to its own caller only.
        const shared = await other.response.catch(() => undefined);
        if (shared) return shared;
      }
      const own = { startedAt: now(), response: send() };
      inFlight.set(key, own);
      try {
        return await own.response;
      } finally {
        if (inFlight.get(key) === own) inFlight.delete(key);
      }
    },
  };
}
