import { MINUTE, SECOND } from '#base/clock.ts';
import type { SeededRandom } from '#base/seeded-random.ts';
import type { EndpointName } from '#service/contract/endpoints.ts';
import { kindTable } from '#service/kinds/kinds.ts';
import type { Answer } from './faults.ts';
import type { Act } from './plan.ts';

export interface OutagePlan {
  /** Start and duration in virtual milliseconds. */
  readonly at: number;
  readonly lasts: number;
  readonly endpoints: readonly EndpointName[];
  readonly how: 'refused' | 'reset' | 'status 408' | 'status 503';
  /** Retry-After in seconds, if the outage has a status. */
  readonly retryAfter: number | undefined;
}

/** A quarter of the plans have outages, most of which begin during an act. */
export function outagesOf(random: SeededRandom, acts: readonly Act[]): OutagePlan[] {
  if (!random.chance(0.25)) return [];
  return Array.from({ length: random.integerBetween(1, 2) }, () => {
    const kinds = acts.flatMap((act) => (act.what === 'crawl' ? [act.kind] : []));
    const isWhole = random.chance(0.5) || kinds.length === 0;
    return {
      at: Math.max(0, random.pick(acts).at + random.integerBetween(-200, 1000)),
      lasts: random.pick([20 * SECOND, 2 * MINUTE, 3 * MINUTE, 10 * MINUTE, 90 * MINUTE]),
      endpoints: isWhole ? [] : [kindTable[random.pick(kinds)].endpoint],
      how: random.pick(['refused', 'reset', 'status 408', 'status 503', 'status 503'] as const),
      retryAfter: random.chance(0.4) ? random.pick([5, 60, 600, 7200]) : undefined,
    };
  });
}

/** Returns whether an endpoint is out at a time since the start. */
export const isOut = ({ at, lasts, endpoints }: OutagePlan, endpoint: string, time: number): boolean =>
  time >= at && time < at + lasts && (endpoints.length === 0 || endpoints.includes(endpoint as EndpointName));

/** Returns the response during an outage; `sent` says whether it was received. */
export function outageAnswer({ how, retryAfter }: OutagePlan): { readonly answer: Answer; readonly sent: boolean } {
  const plain: Answer = { status: 200, headers: {}, body: undefined, delay: 0 };
  if (how === 'refused') return { answer: { ...plain, fails: { code: 'ECONNREFUSED', sent: false } }, sent: false };
  if (how === 'reset') return { answer: { ...plain, fails: { code: 'ECONNRESET', sent: true } }, sent: true };
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return { answer: { ...plain, status: how === 'status 408' ? 408 : 503, headers, body: { title: how } }, sent: true };
}
