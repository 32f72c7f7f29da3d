import { DAY } from '#base/clock.ts';
import { EDGE_RELATIONS } from '#store/relations/list-relations.ts';
import type { followDecisions, follows, listSnapshots } from '#store/schema/tables.ts';

/** A period of an edge: from a first to a last sighting, with its end by the evidence of complete lists (decision 13). */
export type EdgePeriod = Pick<
  typeof follows.$inferSelect,
  'firstSeenAt' | 'lastSeenAt' | 'firstMissedAt' | 'endedAt' | 'lastSeenIn'
>;

/** A complete list of one of the two accounts of an edge, which may show it. */
export type CompleteList = Pick<typeof listSnapshots.$inferSelect, 'side' | 'startedAt' | 'finishedAt' | 'bodyDigest'>;

/** A re-check of an edge that found that it has ended: one observation that stands for two lists. */
export type EdgeDecision = Pick<typeof followDecisions.$inferSelect, 'startedAt' | 'finishedAt' | 'cause'>;

/** What may show that an edge has ended. */
export interface EndEvidence {
  readonly lists: readonly CompleteList[];
  readonly decisions: readonly EdgeDecision[];
}

/** An edge is seen at a time in a list. */
type EdgeSighting = Pick<EdgePeriod, 'lastSeenAt' | 'lastSeenIn'>;

/**
 * How long the service may respond from a cache with an older list of followed accounts ("cache validity period", spec,
 * Endpoints 5: not shown). An edge that was last seen from the other side may be newer than such a response.
 */
export const CACHE_VALIDITY = DAY;

/**
 * Returns when an edge is first missing after a sighting, and when it ended, by the lists that were over before its next
 * sighting.
 */
function findPeriodEnd(
  { lastSeenAt, lastSeenIn }: EdgeSighting,
  nextSeenAt: number,
  { lists, decisions }: EndEvidence,
): Pick<EdgePeriod, 'firstMissedAt' | 'endedAt'> {
  const isCacheOlder = lastSeenIn === EDGE_RELATIONS.followers.lastSeenIn;
  const lacking = lists.filter(
    ({ side, startedAt, finishedAt }) =>
      startedAt > (side === 'following' && isCacheOlder ? lastSeenAt + CACHE_VALIDITY : lastSeenAt) &&
      finishedAt < nextSeenAt,
  );
  const decided = decisions.filter(
    ({ cause, startedAt, finishedAt }) =>
      startedAt > (cause === 'unfollowed' && isCacheOlder ? lastSeenAt + CACHE_VALIDITY : lastSeenAt) &&
      finishedAt < nextSeenAt,
  );
  if (lacking.length === 0 && decided.length === 0) return { firstMissedAt: null, endedAt: null };
  const firstMissedAt = Math.min(...[...lacking, ...decided].map(({ finishedAt }) => finishedAt));
  const firstLists = lists.filter(({ finishedAt }) => finishedAt === firstMissedAt);
  const isSecond = (list: CompleteList): boolean =>
    list.startedAt > firstMissedAt && !firstLists.some((first) => mayBeCopy(list, first));
  return { firstMissedAt, endedAt: decided.length > 0 || lacking.some(isSecond) ? firstMissedAt : null };
}

/**
 * Returns the periods of an edge, oldest first, with their ends by complete lists: no list between two sightings of one counts.
 * Those that overlap, or between which no list shows an end, become one.
 * @param periods by their start, without ends
 */
export function endPeriods(periods: readonly EdgePeriod[], evidence: EndEvidence): EdgePeriod[] {
  const joined: EdgePeriod[] = [];
  for (const period of periods) {
    const before = joined.at(-1);
    const isApart =
      !before ||
      (period.firstSeenAt > before.lastSeenAt && findPeriodEnd(before, period.firstSeenAt, evidence).endedAt !== null);
    if (isApart) joined.push(period);
    else {
      const [last] = [before, period].toSorted((a, b) => b.lastSeenAt - a.lastSeenAt || b.lastSeenIn - a.lastSeenIn);
      joined[joined.length - 1] = { ...last!, firstSeenAt: before.firstSeenAt };
    }
  }
  return joined.map((period, i) => ({
    ...period,
    ...findPeriodEnd(period, joined[i + 1]?.firstSeenAt ?? Infinity, evidence),
  }));
}

/** Whether two lists of followed accounts may be copies of one cached response. A list without a digest may be a copy of any. */
const mayBeCopy = (list: CompleteList, earlier: CompleteList): boolean =>
  list.side === 'following' &&
  earlier.side === 'following' &&
  earlier.startedAt > list.startedAt - CACHE_VALIDITY &&
  (list.bodyDigest === null || earlier.bodyDigest === null || list.bodyDigest === earlier.bodyDigest);

/**
 * Returns the periods of an edge, oldest first, with one more sighting, which may be older than others. It may extend a
 * period, divide the time between two, or join them: lists that began before it prove nothing any more.
 */
export function addSighting(
  periods: readonly EdgePeriod[],
  { lastSeenAt: at, lastSeenIn }: EdgeSighting,
  evidence: EndEvidence,
): EdgePeriod[] {
  const within = periods.findIndex((period) => period.firstSeenAt <= at && at <= period.lastSeenAt);
  const all = [...periods];
  const changed = new Set<EdgePeriod>();
  if (within < 0) {
    const sighting = { firstSeenAt: at, lastSeenAt: at, lastSeenIn, firstMissedAt: null, endedAt: null };
    const before = all.findLastIndex(({ lastSeenAt }) => lastSeenAt < at);
    all.splice(before + 1, 0, sighting);
    changed.add(sighting);
    if (before >= 0) changed.add(all[before]!);
  } else if (all[within]!.lastSeenAt === at && all[within]!.lastSeenIn < lastSeenIn) {
    all[within] = { ...all[within]!, lastSeenIn };
    changed.add(all[within]);
  }

  const result: EdgePeriod[] = [];
  let firstSeenAt = all[0]!.firstSeenAt;
  for (const [i, period] of all.entries()) {
    const next = all[i + 1];
    const end = changed.has(period) ? findPeriodEnd(period, next?.firstSeenAt ?? Infinity, evidence) : {};
    const whole = { ...period, ...end, firstSeenAt };
    // Without an end, the next sighting belongs to the same period.
    if (next && whole.endedAt === null) continue;
    result.push(whole);
    firstSeenAt = next?.firstSeenAt ?? firstSeenAt;
  }
  return result;
}
