import { type ByPriority, mapPriorities, type Priority } from '../priorities.ts';

/** The number of all requests that were sent until a time. Lists of them are in chronological order. */
export type SpentCount = readonly [at: number, spent: number];

/** The state of the ledger, a hash in Redis. ledger-lua.ts explains its fields. */

/** Fields of each priority. */
const PER_PRIORITY = ['headroom', 'pollBelow', 'pausedSince', 'lookAt', 'endsAt', 'resumeBy'] as const;
export type PriorityField = (typeof PER_PRIORITY)[number];
export type LedgerField =
  | `${PriorityField}:${Priority}`
  | ('spent' | 'ceiling' | 'limit' | 'remaining' | 'resetAt' | 'sampledAt' | 'nextPollAt' | 'probeUntil')
  | ('blockedUntil' | 'blockedSince' | 'seq' | 'refusedSeq' | 'deadSeq' | 'appliedSeq')
  // The limit by token-info, and a lower bound of the window.
  | ('tokenInfoLimit' | 'windowMs')
  // token-info is out.
  | ('outSince' | 'askAgainAt');
type PriorityFields = Readonly<Partial<Record<PriorityField, number>>>;
export type LedgerFields = Readonly<Partial<Record<LedgerField, number>>>;

/** The ledger at a moment. */
export interface LedgerSnapshot {
  readonly fields: LedgerFields;
  readonly open: number;
  /** A lower bound of the remaining quota; undefined before the first sample. */
  readonly estimate: number | undefined;
  readonly priorities: ByPriority<PriorityFields>;
  /** Whether the estimate allows requests of a priority. */
  readonly isUsable: ByPriority<boolean>;
  readonly isKeyDead: boolean;
  readonly spentCounts: readonly SpentCount[];
}

/** A number in a text of Redis; undefined if it is empty. */
export const parseNumber = (text: string | undefined): number | undefined => (text ? Number(text) : undefined);

/** @param texts the fields of the hash, with the spent counts as `marks`. @param open the number of open reservations. */
export function parseSnapshot(texts: Readonly<Record<string, string>>, open: number): LedgerSnapshot {
  const { marks, ...numbers } = texts;
  const fields: LedgerFields = Object.fromEntries(
    Object.entries(numbers).map(([field, text]) => [field, parseNumber(text)]),
  );
  const { ceiling, spent = 0, refusedSeq, deadSeq, appliedSeq = 0 } = fields;
  const estimate = ceiling === undefined ? undefined : ceiling - spent - open;
  const isRefused = fields.blockedUntil !== undefined || (refusedSeq !== undefined && refusedSeq >= appliedSeq);
  const priorities = mapPriorities((one): PriorityFields =>
    Object.fromEntries(PER_PRIORITY.map((field) => [field, fields[`${field}:${one}`]])),
  );
  const isUsable = ({ pausedSince, headroom }: PriorityFields): boolean =>
    pausedSince === undefined && !isRefused && estimate !== undefined && headroom !== undefined && estimate > headroom;
  return {
    fields,
    priorities,
    open,
    estimate,
    isUsable: mapPriorities((one) => isUsable(priorities[one])),
    isKeyDead: deadSeq !== undefined && deadSeq >= appliedSeq,
    spentCounts: JSON.parse(marks ?? '[]') as SpentCount[],
  };
}
