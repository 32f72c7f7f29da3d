import { SECOND } from '#base/clock.ts';
import { formatCount } from '#base/text.ts';
import { formatDuration } from '#base/units.ts';
import { MAX_FAILURES } from '#crawl/slice/failures/retry-policy.ts';
import { getKind } from '#service/kinds/kinds.ts';
import type { PauseReason } from '#service/quota/ledger/quota-events.ts';
import { PRIORITIES, type Priority } from '#service/quota/priorities.ts';
import type { QuotaStatus } from '#service/quota/quota-status.ts';
import type { GateHold } from './gates.ts';
import { getCircuit, isRequestHeld, listOpenCircuits, type OutageState } from './outage/breaker-policy.ts';

/** What keeps crawls from running, and its only wording: for commands, logs and the dashboard. Times are milliseconds UTC. */
export interface Hold {
  readonly kind: HoldKind;
  readonly since?: number | undefined;
  /** When the next thing happens. */
  readonly until?: number | undefined;
  /** Of an outage: the latest end of the current probe, and whether a crawl waits to send the next one. */
  readonly probeUntil?: number | undefined;
  readonly isAwaited?: boolean;
  /** The error behind it. */
  readonly why?: string | undefined;
  /** Of an outage: the endpoints; empty for the whole service. */
  readonly endpoints?: readonly string[];
  /** Of a low quota: what is left of the limit. */
  readonly left?: number | undefined;
  readonly limit?: number | undefined;
  /** Of a retry: the failed attempts. */
  readonly failures?: number | undefined;
}

interface HoldRow {
  /** What holds crawls. @param lasted for how long; undefined if that is unknown or of no interest */
  describe(hold: Omit<Hold, 'kind'>, lasted?: string): string;
  /** What happens at `until`. */
  readonly next: string;
  /** What happens if it is past. */
  readonly due?: string;
}

const PROBE = { next: 'next probe', due: 'next probe with the next crawl' } as const;

/**
 * The holds in the order of precedence. `quota` is stored for a low quota and for a token-info that does not answer: the
 * ledger tells them apart, while it can be read.
 */
const HOLDS = {
  disk: { describe: () => 'waiting for space', next: 'next check' },
  unauthorized: { describe: () => 'the service refuses the API key', next: '' },
  outage: { describe: createDescription('is unavailable', 'has been unavailable'), ...PROBE },
  control_forbidden: {
    describe: createDescription('refuses the API key (403)', 'has refused the API key (403)'),
    ...PROBE,
  },
  control_not_found: { describe: createDescription('answers only 404', 'has answered only 404'), ...PROBE },
  refused: { describe: () => 'refused by the service (429)', next: 'resumes' },
  low: { describe: describeLowQuota, next: 'resets' },
  token_info: {
    describe: (_, lasted) =>
      `token-info ${lasted === undefined ? 'does not answer' : `has not answered for ${lasted}`}: one request at a time`,
    next: 'next request',
  },
  quota: { describe: () => 'waiting for quota', next: 'resumes' },
  retry: {
    describe: ({ failures }) => (failures ? `attempt ${failures} of ${MAX_FAILURES} failed` : 'retrying later'),
    next: 'next attempt',
  },
  budget: { describe: () => 'the daily budget is spent', next: 'resumes' },
} satisfies Record<string, HoldRow>;
export type HoldKind = keyof typeof HOLDS;

const PRECEDENCE = Object.keys(HOLDS);

const rowOf = ({ kind }: Pick<Hold, 'kind'>): HoldRow => HOLDS[kind];

function createDescription(now: string, since: string): HoldRow['describe'] {
  return ({ endpoints = [] }, lasted) => {
    const who = endpoints.length === 0 ? 'the service' : `the service's ${endpoints.join(', ')}`;
    return lasted === undefined ? `${who} ${now}` : `${who} ${since} for ${lasted}`;
  };
}

function describeLowQuota({ left, limit }: Omit<Hold, 'kind'>): string {
  if (left === undefined) return 'low quota';
  return `low quota (${formatCount(Math.max(0, left))}${limit === undefined ? '' : ` of ${formatCount(limit)}`} left)`;
}

/** Describes a hold without times and error, for places that show them apart. */
export const describeCause = (hold: Hold): string => rowOf(hold).describe(hold);

/** What happens when a hold ends. */
export const describeNext = (hold: Hold): string => rowOf(hold).next;

/** Describes a hold and how long it has lasted. */
export function describeDuration(hold: Hold, now: number): string {
  const lasted = now - (hold.since ?? now);
  return rowOf(hold).describe(hold, lasted < SECOND ? undefined : formatDuration(lasted));
}

/** Describes a hold, how long it has lasted and what happens next: `low quota (4 of 12 left), resets in 58 s`. */
export function describeWait(hold: Hold, now: number): string {
  const { until, probeUntil = 0 } = hold;
  const { next, due } = rowOf(hold);
  const what = describeDuration(hold, now);
  if (probeUntil > now) return `${what}, probing now`;
  if (until !== undefined && until > now) return `${what}, ${next} in ${formatDuration(Math.max(SECOND, until - now))}`;
  if (due === undefined || hold.since === undefined) return what;
  return `${what}, ${hold.isAwaited ? `${next} within a minute` : due}`;
}

/** Describes a hold with its error. */
export const describeHold = (hold: Hold, now: number): string =>
  describeWait(hold, now) + (hold.why === undefined ? '' : `: ${hold.why}`);

const PAUSES = { low: 'low', refused: 'refused', key_dead: 'unauthorized' } satisfies Record<PauseReason, HoldKind>;

/** Returns the hold of a pause for quota. */
export const createQuotaHold = (reason: PauseReason, details: Omit<Hold, 'kind'>): Hold => ({
  ...details,
  kind: PAUSES[reason],
});

/** Returns what keeps a priority from sending requests; undefined if nothing does. */
export function findQuotaHold(quota: QuotaStatus | undefined, priority: Priority): Hold | undefined {
  if (quota === undefined) return undefined;
  const { limit, estimate: left, limitSource, estimatedSince } = quota;
  const { reason, spendable, pausedSince: since, pausedUntil: until } = quota.priorities[priority];
  if (limitSource === 'unknown' && spendable === 0 && (reason === undefined || reason === 'low'))
    return { kind: 'token_info', since: estimatedSince, until };
  if (reason === undefined) return undefined;
  return createQuotaHold(reason, { since, until, left, limit });
}

/** Returns the hold of an outage; undefined without one. @param waiting a crawl that waits for its end */
export function findOutageHold(
  state: OutageState | undefined,
  waiting?: { readonly until?: number | null | undefined },
): Hold | undefined {
  if (!state?.outage) return undefined;
  const { isWholeService, endpoints, probeAt, probeUntil } = listOpenCircuits(state);
  if (!isWholeService && endpoints.length === 0) return undefined;
  const { since, why } = state.outage;
  const [cause, ...others] = new Set(endpoints.map((name) => getCircuit(state, name).cause));
  const kind = isWholeService || cause === undefined || others.length > 0 ? 'outage' : (`control_${cause}` as const);
  const until = Math.max(probeAt ?? 0, waiting?.until ?? 0);
  const isAwaited = waiting !== undefined;
  return { kind, since, until, probeUntil, isAwaited, why, endpoints: isWholeService ? [] : endpoints };
}

/** What may hold crawls, as it is now. */
export interface HoldConditions {
  readonly quota?: QuotaStatus | undefined;
  readonly outage?: OutageState | undefined;
  readonly shortage?: Pick<GateHold, 'until' | 'error'> | undefined;
}

/** The columns of an unfinished crawl that tell what it waits for. */
export interface WaitingCrawl {
  readonly kind: string;
  readonly state: string;
  readonly reason: string | null;
}

interface HeldCrawl extends WaitingCrawl {
  readonly priority: Priority;
  readonly error: string | null;
  readonly resumeAt: number | null;
  readonly consecutiveFailures: number;
}

/** Whether a crawl waits for the end of an outage, or for disk space. */
export const isBlocked = ({ kind, state, reason }: WaitingCrawl, { outage, shortage }: HoldConditions): boolean =>
  state !== 'running' &&
  (shortage !== undefined ||
    (state === 'paused' && (reason === 'outage' || reason === 'disk')) ||
    (outage !== undefined &&
      (state === 'queued' || reason === 'retry') &&
      isRequestHeld(outage, getKind(kind).endpoint)));

/** Returns what an unfinished crawl waits for; undefined if it can run. */
function findCrawlHold(crawl: HeldCrawl, conditions: HoldConditions, now: number): Hold | undefined {
  const { quota, outage, shortage } = conditions;
  if (crawl.state === 'running') return undefined;
  if (shortage) return { kind: 'disk', why: shortage.error, until: shortage.until };
  const own = crawl.state === 'paused' ? createStoredHold(crawl) : undefined;
  if (isBlocked(crawl, conditions))
    return own?.kind === 'disk' ? own : (findOutageHold(outage, { until: own?.until }) ?? own);
  return findQuotaHold(quota, crawl.priority) ?? ((own?.until ?? 0) > now ? own : undefined);
}

/** Returns the hold of a paused crawl as its row has it. */
function createStoredHold({ reason, error, resumeAt, consecutiveFailures: failures }: HeldCrawl): Hold | undefined {
  if (reason === null || !isHoldKind(reason)) return undefined;
  // The last error of a crawl is no reason of a pause for quota.
  const hasError = reason === 'outage' || reason === 'disk' || reason === 'retry';
  return { kind: reason, until: resumeAt ?? undefined, why: (hasError && error) || undefined, failures };
}

/** Returns what the crawls of all priorities that are paused for a reason wait for; undefined for an unknown reason. */
export function findPauseHold(
  { reason, until }: { readonly reason: string | null; readonly until: number | null },
  { quota, outage }: HoldConditions,
): Hold | undefined {
  if (reason === null || !isHoldKind(reason)) return undefined;
  const stored = { kind: reason, until: until ?? undefined };
  if (reason === 'outage') return findOutageHold(outage, stored) ?? stored;
  if (reason !== 'quota' && reason !== 'refused') return stored;
  return PRIORITIES.map((one) => findQuotaHold(quota, one)).find((hold) => hold !== undefined) ?? stored;
}

/** Describes the reason of a paused crawl; undefined for reasons of ended crawls. */
export const describePauseReason = (reason: string, failures?: number): string | undefined =>
  isHoldKind(reason) ? describeCause({ kind: reason, failures }) : undefined;

const isHoldKind = (reason: string): reason is HoldKind => Object.hasOwn(HOLDS, reason);

/**
 * Returns why none of some unfinished crawls can run; undefined if one can. Of several holds, it is the first by
 * precedence, and of those the one that ends first.
 */
export function findCommonHold(
  crawls: readonly HeldCrawl[],
  conditions: HoldConditions,
  now: number,
): Hold | undefined {
  let common: Hold | undefined;
  for (const crawl of crawls) {
    const hold = findCrawlHold(crawl, conditions, now);
    if (hold === undefined) return undefined;
    if (common === undefined || compareHolds(hold, common) < 0) common = hold;
  }
  return common;
}

const compareHolds = (a: Hold, b: Hold): number =>
  PRECEDENCE.indexOf(a.kind) - PRECEDENCE.indexOf(b.kind) || (a.until ?? Infinity) - (b.until ?? Infinity);
