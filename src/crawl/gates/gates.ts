import { type ServiceError, TrawlError } from '../../base/errors.ts';
import type { EndpointName } from '../../service/contract/endpoints.ts';
import type { StoredCrawl } from '../../store/schema/query-results.ts';
import type { SliceResult } from '../slice/slice-result.ts';

/** Why a crawl waits: for its row, and for the queue. Times are milliseconds UTC. */
export interface GateHold {
  readonly reason: 'disk' | 'unauthorized' | 'outage' | 'refused' | 'quota' | 'budget';
  /** When to check again; Infinity if there is nothing to wait for. */
  readonly until: number;
  /** When the crawl is expected to go on, where that is known. */
  readonly resumeAt?: number;
  readonly error?: string;
  /** All crawls of the priority wait, not this one only. */
  readonly isShared?: boolean;
  /** All workers stop. */
  readonly stop?: ServiceError;
}

/** What became of a request that a gate has admitted. */
export interface RequestOutcome {
  /** When it was sent, milliseconds UTC. */
  readonly sentAt: number;
  /** False if no connection was made. */
  readonly isSent: boolean;
  /** Undefined after a page. */
  readonly error: unknown;
}

/** Called once after a request. Returns a hold if the error is not the fault of the crawl. */
type SettleRequest = (outcome: RequestOutcome) => Promise<GateHold | undefined>;

/** Decides whether a request may be sent: returns how it is settled, or why its crawl waits. */
export type Gate = (endpoint: EndpointName) => Promise<SettleRequest | GateHold>;

/** A request that was not sent, or failed: not by a fault of its crawl, which waits. The cause is the failure. */
export class HeldError extends TrawlError {
  override readonly name = 'HeldError';
  readonly hold: GateHold;

  constructor(hold: GateHold, cause?: unknown) {
    super(hold.error ?? `held back (${hold.reason})`, { cause });
    this.hold = hold;
  }
}

/**
 * Admits a request through all gates, or through none. Resolves with a function that settles it in all gates and resolves
 * with its error, as they explain it. @throws HeldError
 */
export async function passGates(gates: readonly Gate[], endpoint: EndpointName) {
  const passed: SettleRequest[] = [];
  try {
    for (const gate of gates) {
      const admitted = await gate(endpoint);
      if (typeof admitted !== 'function') throw new HeldError(admitted);
      passed.unshift(admitted);
    }
  } catch (error) {
    await settle({ sentAt: 0, isSent: false, error });
    throw error;
  }
  return settle;

  async function settle(outcome: RequestOutcome): Promise<unknown> {
    let { error } = outcome;
    for (const settleGate of passed) {
      try {
        const hold = await settleGate({ ...outcome, error });
        if (hold) error = new HeldError(hold, error);
      } catch (failure) {
        error = failure;
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
