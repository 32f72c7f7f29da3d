import type { Clock } from '../clock.ts';
import type { EndpointName } from '../contract/endpoints.ts';
import type { NotFoundError } from '../errors.ts';

/** What a request brought: a page, or the word that there is none. `at` is when it was asked for. */
export type CoalescedResponse =
  | { readonly at: number; readonly status: number; readonly raw: Uint8Array; readonly body: unknown }
  | { readonly at: number; readonly notFound: NotFoundError };

/** What is asked for; an answer to who asked before `since`, milliseconds UTC, is no answer to this. */
export interface CoalescedRequest {
  readonly endpoint: EndpointName;
  readonly parameters: Readonly<Record<string, string>>;
  readonly since: number;
}

/** The requests of this process that are under way: equal ones are sent once (law 9). */
export interface RequestCoalescer {
  /** What an equal request under way brings; where there is none, or it brings nothing, what `send` does. */
  coalesce(question: CoalescedRequest, send: () => Promise<CoalescedResponse>): Promise<CoalescedResponse>;
}

interface RequestInFlight {
  readonly startedAt: number;
  readonly response: Promise<CoalescedResponse>;
}

export function createRequestCoalescer({ now }: Pick<Clock, 'now'>): RequestCoalescer {
  const underWay = new Map<string, RequestInFlight>();

  return {
    async coalesce({ endpoint, parameters, since }, send) {
      const key = `${endpoint} ${JSON.stringify(parameters)}`;
      for (let other = underWay.get(key); other && other.startedAt >= since; other = underWay.get(key)) {
        // A failure is the affair of who sent it, and says nothing of the next one.
        const landed = await other.response.catch(() => undefined);
        if (landed) return landed;
      }
      const flight: RequestInFlight = { startedAt: now(), response: send() };
      underWay.set(key, flight);
      try {
        return await flight.response;
      } finally {
        if (underWay.get(key) === flight) underWay.delete(key);
      }
    },
  };
}
