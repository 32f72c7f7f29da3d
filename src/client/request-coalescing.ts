import type { Clock } from '../clock.ts';
import type { EndpointName } from '../contract/endpoints.ts';
import type { NotFoundError } from '../errors.ts';

/** What a request brought: a page, or the word that there is none. `at` is when it was asked for. */
export type Landed =
  | { readonly at: number; readonly status: number; readonly raw: Uint8Array; readonly body: unknown }
  | { readonly at: number; readonly notFound: NotFoundError };

/** What is asked for; an answer to who asked before `since`, milliseconds UTC, is no answer to this. */
export interface Question {
  readonly endpoint: EndpointName;
  readonly parameters: Readonly<Record<string, string>>;
  readonly since: number;
}

/** The requests of this process that are under way: equal ones are sent once (law 9). */
export interface Flights {
  /** What an equal request under way brings; where there is none, or it brings nothing, what `send` does. */
  share(question: Question, send: () => Promise<Landed>): Promise<Landed>;
}

interface Flight {
  readonly begunAt: number;
  readonly landing: Promise<Landed>;
}

export function createFlights({ now }: Pick<Clock, 'now'>): Flights {
  const underWay = new Map<string, Flight>();

  return {
    async share({ endpoint, parameters, since }, send) {
      const key = `${endpoint} ${JSON.stringify(parameters)}`;
      for (let other = underWay.get(key); other && other.begunAt >= since; other = underWay.get(key)) {
        // A failure is the affair of who sent it, and says nothing of the next one.
        const landed = await other.landing.catch(() => undefined);
        if (landed) return landed;
      }
      const flight: Flight = { begunAt: now(), landing: send() };
      underWay.set(key, flight);
      try {
        return await flight.landing;
      } finally {
        if (underWay.get(key) === flight) underWay.delete(key);
      }
    },
  };
}
