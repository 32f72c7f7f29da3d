import { prepareCountPairs } from '#analysis/account-counts.ts';
import { foldHandle } from '#base/text.ts';
import type { TimeRange } from '#base/time-ranges.ts';
import { getKind } from '#service/kinds/kinds.ts';
import { type CoverageRow, prepareListCoverage } from '#store/coverage/intervals.ts';
import { preparePrunedReads } from '#store/coverage/pruned-ranges.ts';
import { prepareSearchReads } from '#store/coverage/search-windows.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { AccountCoverage, CountPair, OrderedListCoverage, Segment } from './coverage-model.ts';
import {
  prepareAccountListCoverage,
  type NamedAccount,
  prepareNamedAccount,
  answerOrderedList,
  wordSegments,
} from './list-answers.ts';
import { type CheckEvidence, prepareListChecks, weighChecks } from './list-checks.ts';
import { compareCounts } from './reasons.ts';
import { buildSegments, type EvidenceInterval, isProvenEnd } from './segments.ts';

/**
 * Prepares reading the coverage of accounts by id: how much of each list is stored, on an axis of time and in numbers.
 * Undefined for an account that is not stored.
 */
export function prepareAccountCoverage(db: Db): (restId: string) => AccountCoverage | undefined {
  const findAccount = prepareNamedAccount(db);
  const readCounts = prepareCountPairs(db);
  const countListTweets = prepareListTweets(db);
  const countTweets = db.$client.prepare<[number], number>('select count(*) from tweets where author_id = ?').pluck();
  const readOrderedList = prepareOrderedListCoverage(db);
  const readAccountList = prepareAccountListCoverage(db);
  const { searchedWindows } = prepareSearchReads(db);
  const findHandleChange = db.$client
    .prepare<[number], number | null>(
      'select max(changed_at) from user_history where user_id = ? and screen_name is not null',
    )
    .pluck();

  /** A search for an earlier handle may have found the tweets of another account. */
  function readSearched({ user: { id, screenName, firstSeenAt } }: NamedAccount): TimeRange[] {
    if (screenName === null) return [];
    return searchedWindows(`from:${foldHandle(screenName)}`, findHandleChange.get(id) ?? firstSeenAt);
  }

  return (restId) => {
    const found = findAccount(restId);
    if (!found) return undefined;
    const { screenName, name, createdAt } = found.user;
    const tweets = countTweets.get(found.user.id)!;
    const searched = readSearched(found);
    const counts = { timeline: readCounts(restId, 'timeline')!, replies: readCounts(restId, 'replies')! };
    const evidence = { tweets, counts, listTweets: countListTweets(found.user.id), searched };
    return {
      account: { restId, screenName, name, createdAt, unavailableAt: found.unavailableAt },
      tweets: { stored: tweets },
      orderedLists: (['timeline', 'replies'] as const).map((kind) => readOrderedList(kind, found, evidence)),
      accountLists: (['followers', 'following'] as const).map((kind) => readAccountList(kind, found)),
      searched,
    };
  };
}

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
function prepareOrderedListCoverage(db: Db) {
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

type ListKind = OrderedListCoverage['kind'];

/** The stored tweets of an account that a list showed. */
export interface ListTweets {
  readonly stored: number;
  /** Those that the service reports as deleted, and those that are missing from the list: `v_deleted_tweets`. */
  readonly deleted: number;
  readonly suspected: number;
}

const COUNTS: Readonly<Record<keyof ListTweets, string>> = {
  stored: '',
  deleted: 'and d.confirmed_at is not null',
  suspected: 'and d.tweet_id is not null and d.confirmed_at is null',
};

/** Prepares counting the tweets of an account by list. It reads each of them once. */
function prepareListTweets({ $client }: Db): (userId: number) => Readonly<Record<ListKind, ListTweets>> {
  const columns = (flag: number): string =>
    Object.entries(COUNTS)
      .map(([name, condition]) => `'${name}', count(*) filter (where t.seen_in_lists & ${flag} <> 0 ${condition})`)
      .join(', ');
  const count = $client
    .prepare<[number], string>(
      `select json_object('timeline', json_object(${columns(getKind('timeline').listFlag!)}), 'replies', json_object(${columns(getKind('replies').listFlag!)}))
       from tweets t left join _deletion_evidence d on d.tweet_id = t.id and d.suspected_at > t.last_seen_at
       where t.author_id = ?`,
    )
    .pluck();
  return (userId) => JSON.parse(count.get(userId)!) as Readonly<Record<ListKind, ListTweets>>;
}
