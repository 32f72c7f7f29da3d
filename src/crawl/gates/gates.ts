import { type ServiceError, TrawlError } from '#base/errors.ts';
import type { SliceResult } from '#crawl/slice/slice-result.ts';
import type { StoredCrawl } from '#store/schema/query-results.ts';

/** Why a crawl waits: for its row, and for the queue. Times are milliseconds UTC. */
export interface GateHold {
  readonly reason: 'disk' | 'unauthorized' | 'outage' | 'refused' | 'quota' | 'budget';
  /** When to check again; Infinity if there is nothing to wait for. */
  readonly until: number;
  /** When the crawl is expected to go on, where that is known. */
  readonly resumeAt?: number;
  readonly error?: string;
  /** Of an outage: the endpoint whose request was held or failed. */
  readonly endpoint?: string;
  /** All crawls of the priority wait, not this one only. */
  readonly isShared?: boolean;
  /** All workers stop. */
  readonly stop?: ServiceError;
}

/** Whether a request was sent. */
interface RequestOutcome {
  /** When it was sent, milliseconds UTC. */
  readonly sentAt: number;
  /** False if no connection was made. */
  readonly isSent: boolean;
}

/** The outcome of a request that another gate holds, and of a slice. */
const NOT_SENT: RequestOutcome = { sentAt: 0, isSent: false };

/**
 * Called once after a request or a slice. Returns a hold if the error is not the fault of the crawl.
 * @param error undefined after a success
 */
type Settle = (error: unknown, request: RequestOutcome) => Promise<GateHold | undefined>;

/**
 * Admits a slice of a crawl, or one of its requests: returns the function that settles it, or the hold of the crawl. Disk,
 * quota, outage and budget are gates (request-gates.ts).
 */
export type Gate = (endpoint: string) => Promise<Settle | GateHold>;

/** A request or slice was not admitted, or failed through no fault of its crawl, which waits. The cause is the failure. */
export class HeldError extends TrawlError {
  override readonly name = 'HeldError';
  readonly hold: GateHold;

  constructor(hold: GateHold, cause?: unknown) {
    super(hold.error ?? `held back (${hold.reason})`, { cause });
    this.hold = hold;
  }
}

/**
 * Passes all gates, or none. Resolves with a function that settles the request or slice in all of them, and resolves with its
 * error: a HeldError if a gate has a hold for it. @throws HeldError
 */
export async function passGates(gates: readonly Gate[], endpoint: string) {
  const passed: Settle[] = [];
  try {
    for (const gate of gates) {
      const admitted = await gate(endpoint);
      if (typeof admitted !== 'function') throw new HeldError(admitted);
      passed.unshift(admitted);
    }
  } catch (error) {
    await settle(error);
    throw error;
  }
  return settle;

  async function settle(failure: unknown, request = NOT_SENT): Promise<unknown> {
    let error = failure;
    for (const settleGate of passed) {
      try {
        const hold = await settleGate(error, request);
        if (hold) error = new HeldError(hold, error);
      } catch (thrown) {
        error = thrown;
      }
    }
    return error;
  }
}

/** What the queue does with a crawl that a gate holds. */
export function toSliceResult({ until, isShared, stop }: GateHold, { priority }: StoredCrawl): SliceResult {
  if (stop) return { next: 'stop', error: stop };
  return isShared ? { next: 'pause_priority', until, priority } : { next: 'wait', until };
}
