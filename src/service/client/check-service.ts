import { systemClock } from '#base/clock.ts';
import { describeError, type ServiceError, TransientError, UnauthorizedError } from '#base/errors.ts';
import type { Client, TokenInfo } from './client.ts';

/** Whether the store has never had an answer from the service's address, and is not to wait for one. */
export interface Contact {
  isFirst: boolean;
}

/** Delays before further attempts to request token-info. */
const RETRY_DELAYS_MS = [250, 500, 1000, 1000];

/**
 * Requests token-info. Returns undefined if it does not answer, since pages may be served all the same, or if there is no
 * connection, since crawls wait for the service (invariant 14). @throws UnauthorizedError; TransientError without a connection at the first contact
 */
export async function checkService(
  client: Client,
  { warn, signal, contact }: { warn: (message: string) => void; signal: AbortSignal | undefined; contact: Contact },
): Promise<TokenInfo | undefined> {
  for (const delayMs of [...RETRY_DELAYS_MS, undefined]) {
    try {
      const sample = await client.tokenInfo(signal);
      contact.isFirst = false;
      return sample;
    } catch (error) {
      signal?.throwIfAborted();
      const { status, sent } = error as ServiceError;
      if (error instanceof UnauthorizedError) throw error;
      // Pages may be served where token-info is not, and a response that does not come takes half a minute.
      if (!(error instanceof TransientError) || status !== undefined || sent) {
        warn(`continuing without token-info: ${describeError(error)}`);
        return undefined;
      }
      if (delayMs !== undefined) {
        await systemClock.sleep(delayMs, signal);
        continue;
      }
      if (contact.isFirst) throw error;
      warn(`waiting for the service: ${describeError(error)}`);
    }
  }
  return undefined;
}
