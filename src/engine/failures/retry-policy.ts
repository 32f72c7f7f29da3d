import { MINUTE, type Random } from '../../clock.ts';

/** Failures in a row that end a crawl: those of its own, while other targets of the endpoint succeed, and bugs. */
export const MAX_FAILURES = 8;

/** Milliseconds to the next attempt: doubles from half a second to a minute, with jitter so that crawls do not retry together. */
export function computeRetryDelay(failures: number, random: Random): number {
  const ceiling = Math.min(MINUTE, 500 * 2 ** failures);
  return Math.round(ceiling * (0.5 + random() / 2));
}
