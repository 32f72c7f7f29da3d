import type { EstimatedLimit, SpentCount } from '../estimation/limit-estimation.ts';
import { type ByPriority, mapPriorities, PRIORITIES } from '../priorities.ts';

/** The ledger's state, a hash in Redis: its fields (scripts.ts says what some of them mean), and what they come to. */

/** Fields that each priority has of its own. */
const PER_PRIORITY = ['headroom', 'pollBelow', 'pausedSince', 'lookAt', 'endsAt', 'resumeBy'] as const;
const FIELDS = [
  ...PRIORITIES.flatMap((one) => PER_PRIORITY.map((field) => `${field}:${one}` as const)),
  'spent',
  'ceiling',
  'limit',
  'remaining',
  'resetAt',
  'sampledAt',
  'blockedUntil',
  'blockedSince',
  'refusedSeq',
  'deadSeq',
  'appliedSeq',
  'nextPollAt',
  'probeUntil',
  'seq',
  // When the first request since the last refusal was granted, and how many had been sent by then.
  'episodeAt',
  'episodeSpent',
  // What token-info said of the limit, and how long the window is at least.
  'tokenInfoLimit',
  'windowMs',
  // token-info is out, or is not believed.
  'outSince',
  'askAgainAt',
  'contradictions',
  'untrustedSince',
  'untrustedUntil',
  'untrustedMs',
  // What was learnt instead, when, and how carefully it is changed.
  'limitEstimate',
  'windowEstimateMs',
  'estimatedAt',
  'backoffLevel',
] as const;
export type LedgerField = (typeof FIELDS)[number];
export type PriorityField = (typeof PER_PRIORITY)[number];
type PriorityFields = Readonly<Partial<Record<PriorityField, number>>>;
export type LedgerFields = Readonly<Partial<Record<LedgerField, number>>>;

/** The ledger as it is, for judging and for display. */
export interface LedgerSnapshot {
  readonly fields: LedgerFields;
  readonly open: number;
  /** What is surely left; undefined when no sample was ever applied. */
  readonly estimate: number | undefined;
  readonly priorities: ByPriority<PriorityFields>;
  /** A priority may spend from the estimate: it is above its headroom, and nothing forbids it. */
  readonly isUsable: ByPriority<boolean>;
  readonly isKeyDead: boolean;
  readonly estimatedLimit: EstimatedLimit | undefined;
  readonly spentCounts: readonly SpentCount[];
}

/** A number as Redis gives it; undefined where there is none. */
export const parseNumber = (text: string | undefined): number | undefined => (text ? Number(text) : undefined);

/** The state as Redis has it: the hash's texts, and how many reservations are open. */
export function parseSnapshot(texts: Readonly<Record<string, string>>, open: number): LedgerSnapshot {
  const fields: LedgerFields = Object.fromEntries(FIELDS.map((field) => [field, parseNumber(texts[field])]));
  const { ceiling, spent = 0, refusedSeq, deadSeq, appliedSeq = 0, limitEstimate, windowEstimateMs } = fields;
  const estimate = ceiling === undefined ? undefined : ceiling - spent - open;
  const isRefused = fields.blockedUntil !== undefined || (refusedSeq !== undefined && refusedSeq >= appliedSeq);
  const priorities = mapPriorities((one): PriorityFields =>
    Object.fromEntries(PER_PRIORITY.map((field) => [field, fields[`${field}:${one}`]])),
  );
  const isUsable = ({ pausedSince, headroom }: PriorityFields): boolean =>
    pausedSince === undefined && !isRefused && estimate !== undefined && headroom !== undefined && estimate > headroom;
  return {
    ...{ fields, priorities, open, estimate },
    isUsable: mapPriorities((one) => isUsable(priorities[one])),
    isKeyDead: deadSeq !== undefined && deadSeq >= appliedSeq,
    estimatedLimit:
      limitEstimate && windowEstimateMs ? { limit: limitEstimate, windowMs: windowEstimateMs } : undefined,
    spentCounts: JSON.parse(texts['marks'] ?? '[]') as SpentCount[],
  };
}
