import { MINUTE, type Random } from '#base/clock.ts';
import { MAX_RETRY_AFTER } from '#crawl/gates/outage/breaker-policy.ts';

/** Failures in a row that end a crawl: those of its own, while other targets of the endpoint succeed, and bugs. */
export const MAX_FAILURES = 8;

/**
 * Returns the milliseconds until the next attempt, after a failure of the crawl itself. After a failure of its endpoint,
 * `outage/breaker-policy.ts` computes how long all crawls wait. The delay doubles from half a second to a minute, with jitter so that
 * crawls do not retry together. It is at least the service's Retry-After, up to 15 minutes.
 */
export function computeRetryDelay(failures: number, random: Random, retryAfterMs = 0): number {
  const ceiling = Math.min(MINUTE, 500 * 2 ** failures);
  return Math.max(Math.round(ceiling * (0.5 + random() / 2)), Math.min(retryAfterMs, MAX_RETRY_AFTER));
}
