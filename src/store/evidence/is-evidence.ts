/** A list of followers or followed accounts, and the last one that was accepted as evidence (decision 13). */
export interface ComparedLists {
  /** The accounts that the accepted list showed, without those whose edges have ended since. */
  readonly baselineSize: number;
  /** The owner's count at the time of each list. */
  readonly baselineCount: number;
  readonly count: number;
  readonly shown: number;
}

/** The share of the accepted list that may be missing beyond what the counts say. */
const TOLERANCE = 0.005;

/**
 * Whether edges that a list lacks are evidence: it shows no fewer accounts than the decrease of the owner's count explains,
 * but for one or 0.5 %. A size is never compared with a count, since counts contain accounts that lists hide.
 */
export const isEvidence = ({ baselineSize, baselineCount, count, shown }: ComparedLists): boolean =>
  baselineSize - shown <= baselineCount - count + Math.max(1, TOLERANCE * baselineSize);

/** Fewer accounts may be hidden from any list. */
const FEW = 20;

/** Whether a list, of which no earlier one is known, shows less than half of the count. Few accounts hide so many followers. */
export const isSmallPart = (shown: number, count: number): boolean => count - shown >= FEW && 2 * shown < count;
