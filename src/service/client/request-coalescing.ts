import type { Clock } from '#base/clock.ts';
import type { EndpointName } from '#service/contract/endpoints.ts';

/** A request. A response to an equal request counts only if that one was sent at `since` (milliseconds UTC) or later. */
export interface CoalescedRequest {
  readonly endpoint: EndpointName;
  readonly parameters: Readonly<Record<string, string>>;
  readonly since: number;
}

export type RequestCoalescer<Response> = ReturnType<typeof createRequestCoalescer<Response>>;

/** Sends equal concurrent requests of this process once (invariant 9). */
export function createRequestCoalescer<Response>({ now }: Pick<Clock, 'now'>) {
  interface RequestInFlight {
    readonly startedAt: number;
    readonly response: Promise<Response>;
  }
  const inFlight = new Map<string, RequestInFlight>();

  return {
    /** The response of an equal request in flight; if there is none or it fails, the response of `send`. */
    async coalesce(
      { endpoint, parameters, since }: CoalescedRequest,
      send: () => Promise<Response>,
    ): Promise<Response> {
      const key = `${endpoint} ${JSON.stringify(parameters)}`;
      for (let other = inFlight.get(key); other && other.startedAt >= since; other = inFlight.get(key)) {
        // A failure is reported to its own caller only.
        const shared = await other.response.catch(() => undefined);
        if (shared !== undefined) return shared;
      }
      const own: RequestInFlight = { startedAt: now(), response: send() };
      inFlight.set(key, own);
      try {
        return await own.response;
      } finally {
        if (inFlight.get(key) === own) inFlight.delete(key);
      }
    },
  };
}
