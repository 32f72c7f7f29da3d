import type { LedgerSnapshot } from './ledger/ledger.ts';
import type { PauseReason } from './ledger/quota-events.ts';
import { readLastLimit } from './poller.ts';
import { type ByPriority, mapPriorities, type Priority } from './priorities.ts';
import { type Reserve, computeReserve } from './quota-policy.ts';

/** The quota as all workers see it. Its keys are those of `--json`. */
export interface QuotaStatus {
  readonly limit: number | undefined;
  /** Of the last sample. */
  readonly remaining: number | undefined;
  /** A lower bound of what is left now. */
  readonly estimate: number | undefined;
  /** The reserve in requests. */
  readonly reserve: number | undefined;
  readonly resetAt: number | undefined;
  readonly sampledAt: number | undefined;
  /** A lower bound of the window, in milliseconds. */
  readonly windowMs: number | undefined;
  /** The source of these numbers. */
  readonly limitSource: LimitSource;
  /** Since when token-info is out. */
  readonly estimatedSince: number | undefined;
  /** Reservations not settled yet. */
  readonly openReservations: number;
  readonly priorities: ByPriority<PriorityStatus>;
}

/** token-info; while it does not answer, its last limit (`estimated`), or without a known window none (`unknown`). */
export type LimitSource = 'token-info' | 'estimated' | 'unknown';

/** What these numbers are, unless they are those of token-info. */
export const LIMIT_NOTES: Readonly<Partial<Record<LimitSource, string>>> = {
  estimated: 'token-info does not answer: its last limit applies',
  unknown: 'token-info does not answer, and the window of the quota is unknown: one request at a time',
};

/** What a priority may do. */
export interface PriorityStatus {
  /** How many requests it leaves; undefined before the first sample. */
  readonly headroom: number | undefined;
  /** How many requests it may send now. */
  readonly spendable: number;
  /** Of a pause: its reason, beginning and expected end. */
  readonly reason: PauseReason | undefined;
  readonly pausedSince: number | undefined;
  readonly pausedUntil: number | undefined;
}

/** The status from a snapshot of the ledger. */
export function computeQuotaStatus(snapshot: LedgerSnapshot, reserve: Reserve, now: number): QuotaStatus {
  const { fields, open, estimate, priorities } = snapshot;
  const { limit, remaining, resetAt, sampledAt, windowMs, outSince } = fields;
  const lastLimit = outSince === undefined ? undefined : readLastLimit(fields);
  return {
    limit,
    remaining,
    estimate,
    resetAt,
    sampledAt,
    openReservations: open,
    windowMs: lastLimit?.windowMs ?? (windowMs || undefined),
    limitSource: outSince === undefined ? 'token-info' : lastLimit ? 'estimated' : 'unknown',
    estimatedSince: outSince,
    reserve: limit === undefined ? undefined : computeReserve(limit, reserve),
    priorities: mapPriorities((one) => {
      const { headroom } = priorities[one];
      const pause = pauseOf(now, snapshot, one);
      const isFree = pause.reason === undefined && headroom !== undefined && estimate !== undefined;
      return {
        headroom,
        spendable: isFree ? Math.max(0, estimate - headroom) : 0,
        ...pause,
      };
    }),
  };
}

function pauseOf(
  now: number,
  { isKeyDead, fields, priorities }: LedgerSnapshot,
  one: Priority,
): Pick<PriorityStatus, 'pausedUntil' | 'pausedSince' | 'reason'> {
  const { blockedUntil = 0, blockedSince } = fields;
  const { pausedSince, lookAt, endsAt = 0 } = priorities[one];
  if (isKeyDead) return { pausedSince: undefined, pausedUntil: undefined, reason: 'key_dead' };
  if (blockedUntil > now) return { pausedSince: blockedSince, pausedUntil: blockedUntil, reason: 'refused' };
  // A pause is active until a worker has checked it.
  if (lookAt !== undefined && (lookAt > now || pausedSince !== undefined))
    return { pausedSince, pausedUntil: Math.max(lookAt, endsAt), reason: 'low' };
  return { pausedSince: undefined, pausedUntil: undefined, reason: undefined };
}
