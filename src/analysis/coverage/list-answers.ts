import { prepareCountPairs } from '#analysis/account-counts.ts';
import { prepareAccountTargets } from '#analysis/account-targets.ts';
import type { Answer } from '#analysis/answer.ts';
import { pluralize } from '#base/text.ts';
import type { TimeRange } from '#base/time-ranges.ts';
import { formatDay } from '#base/units.ts';
import { ACCOUNT_KINDS } from '#service/kinds/crawl-spec.ts';
import { preparePrunedReads } from '#store/coverage/pruned-ranges.ts';
import { EDGE_RELATIONS } from '#store/relations/list-relations.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { AccountListCoverage, CoverageSegment, ListKind, OrderedListCoverage, Segment } from './coverage-model.ts';
import { explainUnproven, hasReachedEnd, type ListCheck, prepareListChecks } from './list-checks.ts';
import { describeReason, explainReason, compareCounts } from './reasons.ts';

/** What is said of the lists of an account, and of the parts of their axes. */

/** The names of the lists. */
export const LIST_LABELS: Readonly<Record<ListKind, string>> = {
  timeline: 'Original tweets',
  replies: 'Tweets and replies',
  followers: 'Followers',
  following: 'Followed accounts',
};

/** Returns the answer about a list. A command names the account by its id, which does not change. */
const toAnswer = <State extends string>(
  kind: ListKind,
  restId: string,
  state: State,
  sentence: string,
): Answer<State> => ({
  state,
  label: LIST_LABELS[kind],
  sentence,
  command: state === 'not collected' ? `crawl ${kind} id:${restId}` : null,
});

/** The answer about the tweets of an account. @param segments those of a list that was collected */
export function answerOrderedList(
  kind: OrderedListCoverage['kind'],
  restId: string,
  state: OrderedListCoverage['state'],
  segments: readonly Segment[] = [],
): Answer<OrderedListCoverage['state']> {
  const open = segments.filter((segment) => segment.state !== 'complete').length;
  const collected = open === 0 ? 'complete' : `${pluralize(open, 'period')} not complete`;
  const sentence = {
    collected,
    'not collected': state,
    'not available': `${state}: ${describeReason('not_available')}`,
  }[state];
  return toAnswer(kind, restId, state, sentence);
}

/** The answer about the followers of an account, or the accounts that it follows. */
function answerAccountList(
  kind: AccountListCoverage['kind'],
  restId: string,
  { state, asOf, reason }: Pick<AccountListCoverage, 'state' | 'asOf' | 'reason'>,
): Answer<AccountListCoverage['state']> {
  const when = asOf === null ? '' : ` as of ${formatDay(asOf)}`;
  const why = reason === null || state === 'not collected' ? '' : `: ${describeReason(reason)}`;
  return toAnswer(kind, restId, state, `${state}${when}${why}`);
}

/** Returns the parts of a list with what is said of them. @param list its axis, and the number of its stored items */
export function wordSegments(
  segments: readonly Segment[],
  list: { readonly axis: TimeRange; readonly stored: number },
): CoverageSegment[] {
  const isEmpty = list.stored === 0 && !segments.some(({ state }) => state === 'pruned');
  return segments.map((segment) => {
    const isEnd = segment.from === list.axis.from;
    return { ...segment, ...explainReason(segment.reason), sentence: describeSegment(segment, isEnd, isEmpty) };
  });
}

/** @param isEnd whether it is the oldest one. @param isEmpty whether the list has no items */
function describeSegment(segment: Segment, isEnd: boolean, isEmpty: boolean): string {
  const { state, reason, pages, items, prunedAt } = segment;
  if (prunedAt !== undefined)
    return `${state}: ${pluralize(items, 'item')} of the list removed, the last on ${formatDay(prunedAt)}`;
  if (reason !== null) return `${state}: ${describeReason(reason)}${describeSearched(segment)}`;
  if (pages === 0) return isEmpty ? `${state}: the list has no tweets` : state;
  return `${state}: ${pluralize(pages, 'page')}${isEnd ? ', to the end of the list' : ''}`;
}

/** A search closes no gap. */
function describeSearched({ from, to, searched: [first, ...more] }: Segment): string {
  if (first === undefined) return '';
  if (first.from === from && first.to === to) return ', searched';
  return `, searched from ${formatDay(first.from)}${more.length > 0 ? ' in parts' : ''}`;
}

interface UserRow {
  readonly id: number;
  readonly restId: string;
  readonly screenName: string | null;
  readonly name: string | null;
  readonly createdAt: number | null;
  readonly firstSeenAt: number;
  readonly lastSeenAt: number | null;
}

/** A stored account, and the names by which crawls know it. */
export interface NamedAccount {
  readonly user: UserRow;
  /** The targets of its crawls: its id, its handle and its earlier handles. */
  readonly targets: readonly string[];
  /** When the service answered last that it does not have the account; null if it was seen since, or never missing. */
  readonly unavailableAt: number | null;
}

/** Prepares reading accounts by id; undefined for one that is not stored. */
export function prepareNamedAccount(db: Db): (restId: string) => NamedAccount | undefined {
  const { $client } = db;
  const findUser = $client.prepare<[string], UserRow>(
    `select id, rest_id as restId, screen_name as screenName, name, created_at as createdAt,
       first_seen_at as firstSeenAt, last_seen_at as lastSeenAt
     from users left join _user_last_seen on user_id = id where rest_id = ?`,
  );
  const listTargets = prepareAccountTargets(db);
  const readUnavailableAt = prepareUnavailableAt(db);
  return (restId) => {
    const user = findUser.get(restId);
    if (!user) return undefined;
    const targets = listTargets(restId);
    const answeredAt = readUnavailableAt(restId, targets);
    const isUnavailable = answeredAt !== null && answeredAt > (user.lastSeenAt ?? 0);
    return { user, targets, unavailableAt: isUnavailable ? answeredAt : null };
  };
}

interface Snapshot {
  readonly crawlId: number;
  readonly startedAt: number;
  readonly finishedAt: number;
}

type ListState = Pick<AccountListCoverage, 'state' | 'asOf' | 'reason'> & {
  /** Items that are not stored, since their accounts are forgotten. */
  readonly erased: number;
};

/** Prepares reading the coverage of the followers of accounts, and of the accounts that they follow. */
export function prepareAccountListCoverage(db: Db) {
  const { $client } = db;
  const readChecks = prepareListChecks(db);
  const readCounts = prepareCountPairs(db);
  const readPruned = preparePrunedReads(db);
  const latestSnapshot = $client.prepare<[number, string], Snapshot>(
    `select crawl_id as crawlId, started_at as startedAt, finished_at as finishedAt from _list_snapshots
     where user_id = ? and side = ? order by finished_at desc limit 1`,
  );
  const prepareMissed = (side: keyof typeof EDGE_RELATIONS) =>
    $client
      .prepare<[number], number>(
        `select count(*) from follows where ${EDGE_RELATIONS[side].owner.name} = ? and first_missed_at is not null and ended_at is null`,
      )
      .pluck();
  const countMissed = { followers: prepareMissed('followers'), following: prepareMissed('following') };

  return (kind: AccountListCoverage['kind'], account: NamedAccount): AccountListCoverage => {
    const { user, targets, unavailableAt } = account;
    const { restId } = user;
    const { erased, ...decided } = decideState(
      readChecks({ kind, restId, targets }),
      latestSnapshot.get(user.id, kind),
      unavailableAt,
    );
    const [pruned] = readPruned([kind], [restId]);
    const list = pruned && decided.state === 'incomplete' ? { ...decided, reason: 'pruned' } : decided;
    const isRemoved = list.reason === 'erased' || list.reason === 'pruned';
    const counts = compareCounts({
      kind,
      ...readCounts(restId, kind)!,
      readAt: list.asOf,
      unproven: new Map(list.reason === null || isRemoved ? [] : [[list.reason, 1]]),
      erased,
      pruned,
      missedOnce: countMissed[kind].get(user.id)!,
    });
    return { kind, ...list, ...explainReason(list.reason), ...answerAccountList(kind, restId, list), ...counts };
  };
}

/**
 * The state of a list, as in `v_completeness`: complete by the newest crawl that reached its end, if the service ended the
 * list. A later crawl that stopped early changes nothing.
 */
function decideState(
  checks: Iterable<ListCheck>,
  snapshot: Snapshot | undefined,
  unavailableAt: number | null,
): ListState {
  let latest: ListCheck | undefined;
  let ended: ListCheck | undefined;
  for (const check of checks) {
    latest ??= check;
    if (hasReachedEnd(check)) ended = check;
    if (ended !== undefined) break;
  }
  const isNewest =
    ended === undefined || ended.id === snapshot?.crawlId || ended.finishedAt! <= (snapshot?.finishedAt ?? 0);
  const erased = (snapshot && isNewest ? ended : latest)?.erasedItems ?? 0;
  if (snapshot && isNewest) {
    const asOf = snapshot.startedAt;
    return erased > 0
      ? { state: 'incomplete', asOf, reason: 'erased', erased }
      : { state: 'complete', asOf, reason: null, erased };
  }
  if (latest === undefined) {
    return unavailableAt === null
      ? { state: 'not collected', asOf: null, reason: 'not_collected', erased }
      : { state: 'not available', asOf: unavailableAt, reason: 'not_available', erased };
  }
  const { reason } = explainUnproven(latest);
  return { state: reason === 'list_closed' ? 'not available' : 'incomplete', asOf: latest.startedAt, reason, erased };
}

/** The latest crawls of a kind that are read: those of an account that is gone fail one after the other. */
const MAX_CRAWLS = 20;

/**
 * Prepares reading the last time when the service answered that it does not have an account; null if it never did. The
 * evidence is that of `v_unavailable_accounts`: a 404 for its id. It is void if the account was seen later.
 */
function prepareUnavailableAt({ $client }: Db): (restId: string, targets: readonly string[]) => number | null {
  const isForId = `status = 404 and endpoint in ('followers', 'following')`;
  const select = $client
    .prepare<[string, string, string], number | null>(
      `select max((select max(sent_at) from requests where crawl_id = c.id and ${isForId}))
       from (select * from crawls where kind = ? and target = ? order by id desc limit ${MAX_CRAWLS}) c
       where (state = 'failed' and reason = 'not_found' or reason = 'unavailable') and (target glob 'id:*' or ? = coalesce(target_rest_id,
         (select parameters ->> '$.restId' from raw_pages where crawl_id = c.id and ${isForId} order by id desc limit 1)))`,
    )
    .pluck();
  return (restId, targets) => {
    const times = ACCOUNT_KINDS.flatMap((kind) => targets.map((target) => select.get(kind, target, restId) ?? null));
    return times.reduce((latest, at) => (latest === null || (at !== null && at > latest) ? at : latest), null);
  };
}
