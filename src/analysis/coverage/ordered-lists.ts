import type { TimeRange } from '../../base/time-ranges.ts';
import { getKind } from '../../service/kinds/kinds.ts';
import { type CoverageRow, prepareListCoverage } from '../../store/coverage/intervals.ts';
import { preparePrunedReads } from '../../store/coverage/pruned-ranges.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { CountPair, OrderedListCoverage, Segment } from './coverage-model.ts';
import { compareCounts } from './differences.ts';
import { answerOrderedList, wordSegments } from './list-answers.ts';
import { type CheckEvidence, prepareListChecks, weighChecks } from './list-checks.ts';
import type { prepareListTweets } from './list-tweets.ts';
import type { NamedAccount } from './named-account.ts';
import { buildSegments, type EvidenceInterval, isProvenEnd } from './segments.ts';

/** What is known of the tweets of an account beside its lists. */
interface TweetEvidence {
  /** The number of stored tweets from any source. */
  readonly tweets: number;
  readonly counts: Readonly<Record<OrderedListCoverage['kind'], CountPair>>;
  readonly listTweets: ReturnType<ReturnType<typeof prepareListTweets>>;
  /** The ranges that were searched for its tweets. */
  readonly searched: readonly TimeRange[];
}

/** Prepares reading the coverage of the lists of tweets of accounts. */
export function prepareOrderedListCoverage(db: Db) {
  const { $client } = db;
  const readChecks = prepareListChecks(db);
  const rows = prepareListCoverage(db);
  const readPruned = preparePrunedReads(db);
  const findOldest = $client
    .prepare<[number], number>(
      'select created_at from tweets where author_id = ? and created_at is not null order by created_at limit 1',
    )
    .pluck();
  const findTrustedTime = prepareTrustedTime($client);

  return (
    kind: OrderedListCoverage['kind'],
    { user, targets, unavailableAt }: NamedAccount,
    { tweets, counts: pairs, listTweets, searched }: TweetEvidence,
  ): OrderedListCoverage => {
    const { restId } = user;
    const lists = { kinds: [kind], targets: [restId, `id:${restId}`] };
    const intervals = rows.intervals(lists);
    const [topmost] = intervals;
    const evidence =
      weighChecks(readChecks({ kind, restId, targets }), {
        newestAt: topmost?.newestAt,
        count: pairs.replies.reported ?? tweets,
      }) ??
      (topmost && toEvidence(topmost));
    const { deleted, suspected } = listTweets[kind];
    const [pruned] = readPruned([kind], [restId]);
    const counts = { kind, ...pairs[kind], others: tweets - pairs[kind].stored };
    if (evidence === undefined) {
      const state = unavailableAt === null ? ('not collected' as const) : ('not available' as const);
      const unproven = new Map([[state.replace(' ', '_'), 1]]);
      const compared = compareCounts({ ...counts, readAt: null, unproven });
      return { kind, ...answerOrderedList(kind, restId, state), axis: null, segments: [], ...compared };
    }
    const { axis, segments } = buildSegments({
      kind,
      gaps: rows.gaps(lists),
      searched: getKind(kind).isSearchedInBackfill ? searched : [],
      pruned,
      createdAt: user.createdAt,
      oldestKnownAt: Math.min(user.firstSeenAt, findOldest.get(user.id) ?? Infinity),
      intervals: intervals.map((interval): EvidenceInterval => ({
        ...interval,
        trustedFrom: findTrustedTime(interval, kind, user.id),
      })),
      ...evidence,
    });
    const compared = compareCounts({
      ...counts,
      readAt: evidence.checkedAt,
      unproven: countReasons(segments),
      deleted,
      suspected,
      pruned,
    });
    const answer = answerOrderedList(kind, restId, 'collected', segments);
    return { kind, ...answer, axis, segments: wordSegments(segments, { axis, stored: counts.stored }), ...compared };
  };
}

/** Prepares finding the time from which an interval is trusted. Above an end without evidence, the oldest item may be out of its place. */
function prepareTrustedTime($client: Db['$client']) {
  const findNextOldest = $client
    .prepare<[{ userId: number; flag: number; from: number }], number>(
      `select created_at from tweets where author_id = @userId and created_at > @from and seen_in_lists & @flag <> 0
       order by created_at limit 1`,
    )
    .pluck();
  return ({ listEnd, oldestAt, newestAt }: CoverageRow, kind: OrderedListCoverage['kind'], userId: number): number => {
    if (listEnd === null || isProvenEnd({ kind, listEnd })) return oldestAt;
    const next = findNextOldest.get({ userId, flag: getKind(kind).listFlag!, from: oldestAt });
    return Math.min(next ?? newestAt, newestAt);
  };
}

/** The evidence of an interval whose crawl had a name that the account is not known by. */
const toEvidence = ({ updatedAt, crawlId }: CoverageRow): CheckEvidence => ({
  checkedAt: updatedAt,
  provenAt: null,
  rest: {
    state: 'unknown',
    reason: 'unproven',
    crawlId,
  },
});

/** The number of segments that are not complete, by reason, without pruned ones. */
function countReasons(segments: readonly Segment[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { state, reason } of segments)
    if (reason !== null && state !== 'pruned') counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return counts;
}
