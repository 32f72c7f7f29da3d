import { EventEmitter, once } from 'node:events';
import { type Clock, SECOND } from '../../../base/clock.ts';

/** The longest wait for the end of a request. */
const MAX_WAIT = SECOND;

/** Counts the requests of this process in flight, by endpoint. */
export function createRequestsInFlight(clock: Pick<Clock, 'sleep'>) {
  const counts = new Map<string, number>();
  const ends = new EventEmitter().setMaxListeners(0);
  const count = (endpoint: string): number => counts.get(endpoint) ?? 0;

  function end(endpoint: string): void {
    counts.set(endpoint, count(endpoint) - 1);
    ends.emit(endpoint);
  }

  return {
    count,
    /** Starts to count the requests of one slice. */
    startSession() {
      const begun: string[] = [];
      return {
        begin(endpoint: string): void {
          begun.push(endpoint);
          counts.set(endpoint, count(endpoint) + 1);
        },
        /** Ends a request, if one has begun and has not ended. */
        end(endpoint: string): void {
          const at = begun.indexOf(endpoint);
          if (at >= 0) begun.splice(at, 1).forEach(end);
        },
        endAll: (): void => begun.splice(0).forEach(end),
      };
    },
    /** Whether a request of the endpoint ends within a second. */
    async waitForEnd(endpoint: string): Promise<boolean> {
      const over = new AbortController();
      const { signal } = over;
      const ended = once(ends, endpoint, { signal }).then(() => true);
      const late = clock.sleep(MAX_WAIT, signal).then(() => false);
      return await Promise.race([ended, late]).finally(() => over.abort());
    },
  };
}
