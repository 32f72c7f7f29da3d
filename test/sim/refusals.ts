import { MINUTE, SECOND } from '#base/clock.ts';
import type { SeededRandom } from '#base/seeded-random.ts';
import type { EndpointName } from '#service/contract/endpoints.ts';
import { type KindName, kindTable } from '#service/kinds/kinds.ts';
import type { Act } from './plan.ts';

/** A time in which an endpoint, or all, answers 404 or 403: to everything, or to requests for some targets. */
export interface RefusalPlan {
  /** Start and duration in virtual milliseconds. */
  readonly at: number;
  readonly lasts: number;
  readonly status: 403 | 404;
  /** Undefined for all endpoints. */
  readonly endpoint: EndpointName | undefined;
  /** The ids and the handle of a target; undefined for all targets. */
  readonly targets: readonly string[] | undefined;
}

const KINDS: readonly KindName[] = ['tweet', 'tweet', 'followers', 'following', 'profile', 'timeline'];
const TWEETS = 12;
const ACCOUNTS = 3;

/** A tenth of the plans have refusals: before, something is stored; meanwhile, much of it is requested again. */
export function refusalsOf(random: SeededRandom): { readonly refusals: RefusalPlan[]; readonly acts: Act[] } {
  if (!random.chance(0.1)) return { refusals: [], acts: [] };
  const at = random.integerBetween(30 * SECOND, 10 * MINUTE);
  const lasts = random.pick([20 * SECOND, 2 * MINUTE, 10 * MINUTE, 90 * MINUTE]);
  const kind = random.pick(KINDS);
  const crawl = (when: number, what: KindName, target: number, byId: boolean, options = {}): Act => ({
    at: when,
    what: 'crawl',
    kind: what,
    target,
    byId,
    options,
    priority: 'scheduled',
  });
  const before = Array.from({ length: ACCOUNTS }, (_, n) => [
    ...(['timeline', 'followers', 'profile'] as const).map((what) => crawl(random.integerBelow(at), what, n, false)),
    crawl(random.integerBelow(at), kind, n, false),
  ]);
  const soon = (): number => at + random.integerBelow(Math.min(lasts, MINUTE));
  const meanwhile = Array.from({ length: random.integerBetween(4, 12) }, (_, n) =>
    crawl(soon(), kind, n % (kind === 'tweet' ? TWEETS : ACCOUNTS), random.chance(0.5)),
  );
  const status = random.pick([403, 404, 404] as const);
  const n = random.integerBelow(ACCOUNTS);
  const isOfOne = status === 403 && random.chance(0.5);
  const handle = n % 2 === 0 ? `user${n}` : `USER${n}`;
  const refusal: RefusalPlan = {
    at,
    lasts,
    status,
    endpoint: random.chance(0.6) ? kindTable[kind].endpoint : undefined,
    targets: isOfOne ? [String(1000 + n), handle, String(20_000 + n)] : undefined,
  };
  return { refusals: [refusal], acts: [...before.flat(), ...meanwhile] };
}

/** Whether a request is refused at a time since the start. */
export const isRefused = (
  { at, lasts, endpoint, targets }: RefusalPlan,
  request: { readonly endpoint: EndpointName; readonly parameters: Readonly<Record<string, string>> },
  time: number,
): boolean =>
  time >= at &&
  time < at + lasts &&
  (endpoint === undefined || endpoint === request.endpoint) &&
  (targets === undefined || Object.values(request.parameters).some((value) => targets.includes(value)));
