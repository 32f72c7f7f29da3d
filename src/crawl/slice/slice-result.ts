import type { ServiceError } from '#base/errors.ts';
import type { Priority } from '#service/quota/priorities.ts';

/** What the queue does with a crawl after a slice. */
export type SliceResult =
  /** The crawl has ended, or another worker has it. */
  | { readonly next: 'done' }
  /** There are more pages: the crawl goes to the end of the queue. */
  | { readonly next: 'again' }
  /** The crawl waits until then, milliseconds UTC. */
  | { readonly next: 'wait'; readonly until: number }
  /** All crawls of the priority wait until then. */
  | { readonly next: 'pause_priority'; readonly until: number; readonly priority: Priority }
  /** The API key was refused, or the address is no service's: workers stop, all crawls stay. */
  | { readonly next: 'stop'; readonly error: ServiceError };

/** `stop` ends a slice after its page; `abort` also cuts its request short. */
export interface SliceSignals {
  readonly stop: AbortSignal;
  readonly abort: AbortSignal;
}
