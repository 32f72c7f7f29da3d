import { DAY } from '#base/clock.ts';
import type { Served } from '../service.ts';
import { wasThere } from '../truth.ts';
import { hadUndetectableFault, isEndOfList, isIncompleteList, pagesOf } from './endings.ts';
import { type Evidence, subjectOf } from './evidence.ts';
import { countsAtEnd, type EndedList, judgeList } from './shortfall.ts';

interface EdgeRow {
  readonly follower: string;
  readonly followee: string;
  readonly first_seen_at: number;
  readonly last_seen_at: number;
  readonly first_missed_at: number | null;
  readonly ended_at: number | null;
}

/** A list that the service ended, without rejected items, from its first request to its last. */
interface CompleteList extends EndedList {
  /** When its crawl was leased, which may be before its first request. */
  readonly takenUp: number;
  readonly bytes: string;
  /** Whether a page lacks an item undetectably. */
  readonly hasUndetectableFault: boolean;
}

/**
 * Edges match the responses (invariant 7): first and last seen at their times; missing only if a complete list that began
 * after the last sighting lacks it; ended only if a second one lacks it that began after the end of the first. A truncated
 * list, one with an inferred end and one with rejected items prove nothing. Two lists of followed accounts with equal
 * bytes that begin within 24 hours are one observation (spec, Endpoint rules 5). By the ground truth, an edge that existed
 * all the time never ends.
 */
export function checkEdges(evidence: Evidence): void {
  const { db, fail } = evidence;
  const sightings = sightingsIn(evidence.stored);
  const lists = acceptedListsIn(evidence);
  const named = 'join users a on a.id = f.follower_id join users b on b.id = f.followee_id';
  const rows = db
    .prepare(`select a.rest_id as follower, b.rest_id as followee, f.* from follows f ${named}`)
    .all() as EdgeRow[];
  const earlier = db
    .prepare(
      `select a.rest_id as follower, b.rest_id as followee, f.*, null as first_missed_at from follow_history f ${named}`,
    )
    .all() as EdgeRow[];
  const stored = new Set(rows.map(keyOf));
  if (stored.size !== rows.length) fail('invariant 1', 'follows has an edge twice');
  for (const edge of sightings.keys())
    if (!stored.has(edge)) fail('invariant 1', `follows lacks ${edge}, which was served`);

  for (const row of rows) {
    const edge = keyOf(row);
    const seen = sightings.get(edge);
    if (!seen) {
      fail('invariant 6', `follows has ${edge}, which was never served`);
      continue;
    }
    const times = seen.map(({ at }) => at);
    const earlierStretches = earlier.filter((one) => keyOf(one) === edge);
    const last = Math.max(...times);
    if (row.last_seen_at !== last)
      fail('invariant 6', `edge ${edge} was last seen at ${row.last_seen_at}, not ${last}`);
    if (earlierStretches.length === 0 && row.first_seen_at !== Math.min(...times))
      fail('invariant 6', `edge ${edge} was first seen at ${row.first_seen_at}, not ${Math.min(...times)}`);
    if (!times.includes(row.first_seen_at)) fail('invariant 6', `edge ${edge} was not seen at ${row.first_seen_at}`);
    const listsWithout = lists.filter(
      (list) => list.from > row.last_seen_at && isAbout(list, row) && !list.others.has(otherOf(list, row)),
    );
    if (row.first_missed_at !== null && !listsWithout.some(({ until }) => until === row.first_missed_at))
      fail('invariant 7', `edge ${edge} is missing since ${row.first_missed_at}, and no complete list says so`);
    if (row.ended_at !== null) checkEnded(evidence, row, listsWithout);
    // The converse: an edge that two lists in a row lack has ended. A list counts from its lease here, which is the
    // cautious bound.
    const certainLists = listsWithout
      .map((list) => ({ ...list, from: Math.min(list.from, list.takenUp) }))
      .filter(({ from, side }) => from - row.last_seen_at > (side === 'followers' ? 0 : DAY));
    if (row.ended_at === null && mustHaveEnded(certainLists, listsWithout))
      fail('invariant 7', `edge ${edge} has not ended, and ${certainLists.length} lists lack it`);
  }
  checkCauses(evidence, lists);
  for (const row of earlier) {
    const listsWithout = lists.filter(
      (list) => list.from > row.last_seen_at && isAbout(list, row) && !list.others.has(otherOf(list, row)),
    );
    checkEnded(evidence, row, listsWithout);
  }
}

interface EndedRow {
  readonly follower: string;
  readonly followee: string;
  readonly earliest_at: string;
  readonly latest_at: string;
  readonly cause: string;
}

/**
 * An edge has ended by an unfollow only if its account was there afterwards, and because the account is gone only if it was
 * (invariant 7). In the ground truth, suspended accounts keep their edges.
 */
function checkCauses({ db, truth, log, fail }: Evidence, lists: readonly CompleteList[]): void {
  const rows = db
    .prepare<[], EndedRow>(
      `select follower_rest_id as follower, followee_rest_id as followee, earliest_at, latest_at, cause
       from v_follow_changes where change = 'went'`,
    )
    .all();
  for (const row of rows) {
    const [seenAt, endedAt] = [Date.parse(row.earliest_at), Date.parse(row.latest_at)];
    const ends = lists.filter((list) => isAbout(list, row) && list.until === endedAt);
    if (ends.length === 0 || ends.some(({ hasUndetectableFault }) => hasUndetectableFault)) continue;
    const members = truth.accounts.filter(({ id }) => ends.some((list) => otherOf(list, row) === id));
    const isSuspended = members.some(({ until }) => until <= endedAt);
    const isKept = truth.edges.some(
      (edge) => edge.follower === row.follower && edge.followee === row.followee && wasThere(edge, seenAt, endedAt),
    );
    const told = `edge ${keyOf(row)} ended at ${endedAt} as ${row.cause}`;
    if (row.cause === 'unfollowed' && isSuspended && isKept)
      fail('invariant 7', `${told}, and its account was suspended`);
    // Up to three 404s of a service that refuses everything count without a control request.
    const isRefused = members.some(({ id }) => log.some((one) => one.refusal?.status === 404 && subjectOf(one) === id));
    if (row.cause === 'account gone' && members.every(({ until }) => until === Infinity) && !isRefused)
      fail('invariant 7', `${told}, and its account is there`);
  }
}

const keyOf = ({ follower, followee }: Pick<EdgeRow, 'follower' | 'followee'>): string => `${follower} ${followee}`;
const isAbout = ({ side, of }: CompleteList, row: Pick<EdgeRow, 'follower' | 'followee'>): boolean =>
  of === (side === 'followers' ? row.followee : row.follower);
const otherOf = ({ side }: CompleteList, row: Pick<EdgeRow, 'follower' | 'followee'>): string =>
  side === 'followers' ? row.follower : row.followee;

/** An edge ends only if another observation lacks it after the first list. */
function checkEnded({ truth, fail }: Evidence, row: EdgeRow, listsWithout: readonly CompleteList[]): void {
  const first = listsWithout.filter(({ until }) => until === row.ended_at);
  if (!first.some((one) => listsWithout.some((second) => second.from > one.until && !isCertainCopy(one, second))))
    fail('invariant 7', `edge ${keyOf(row)} ended at ${row.ended_at}, and ${listsWithout.length} lists lack it`);
  // The store has the times of requests; what changes before the response is in it.
  const until = Math.max(row.ended_at!, ...first.map(({ last }) => last.answeredAt ?? last.at));
  const wasThroughout = (id: string): boolean =>
    truth.accounts.some((one) => one.id === id && wasThere(one, row.last_seen_at, until));
  const isInvented =
    listsWithout.every(({ hasUndetectableFault }) => !hasUndetectableFault) &&
    wasThroughout(row.follower) &&
    wasThroughout(row.followee) &&
    truth.edges.some(
      (one) => one.follower === row.follower && one.followee === row.followee && wasThere(one, row.last_seen_at, until),
    );
  if (isInvented) fail('invariant 7', `edge ${keyOf(row)} ended at ${row.ended_at}, and was there all the time`);
}

/** Whether one list began after the end of another and is no copy of it or of an earlier one. */
const mustHaveEnded = (certainLists: readonly CompleteList[], listsWithout: readonly CompleteList[]): boolean =>
  certainLists.some((second) => {
    const before = listsWithout.filter(({ until }) => until < second.from);
    return (
      certainLists.some((first) => before.some((one) => one.until === first.until)) &&
      !before.some((one) => mayBeCopy(one, second))
    );
  });

const areEqual = (one: CompleteList, other: CompleteList): boolean =>
  one.side === 'following' && other.side === 'following' && one.of === other.of && one.bytes === other.bytes;
/** A list begins with its first request or its lease. */
const isCertainCopy = (one: CompleteList, other: CompleteList): boolean =>
  areEqual(one, other) && other.from - one.from < DAY && other.takenUp - one.takenUp < DAY;
const mayBeCopy = (one: CompleteList, other: CompleteList): boolean =>
  areEqual(one, other) && (other.from - one.from < DAY || other.takenUp - one.takenUp < DAY);

function sightingsIn(stored: readonly Served[]): Map<string, Served[]> {
  const seen = new Map<string, Served[]>();
  for (const entry of stored) {
    if (entry.endpoint !== 'followers' && entry.endpoint !== 'following') continue;
    const { owner, items } = entry.parsed ?? { owner: undefined, items: [] };
    for (const other of items) {
      const edge = entry.endpoint === 'followers' ? `${other} ${owner}` : `${owner} ${other}`;
      seen.set(edge, [...(seen.get(edge) ?? []), entry]);
    }
  }
  return seen;
}

/** Returns the lists that are evidence. A crawl says of each what the responses allow. */
function acceptedListsIn(evidence: Evidence): CompleteList[] {
  const lists = endedListsIn(evidence);
  const accepted = lists.filter(({ crawl }) => crawl.state === 'complete');
  for (const list of lists) {
    const { crawl, side, of, others, last } = list;
    const { mayBeEvidence, mayBeShort } = judgeList(evidence, list, accepted);
    const told = `crawl ${crawl.id} (${side} of ${of}) showed ${others.size} and ended ${crawl.state}`;
    if (crawl.state === 'complete' && !mayBeEvidence) evidence.fail('invariant 7', `${told}, and was cut short`);
    if (crawl.reason === 'list_cut_short' && !mayBeShort)
      evidence.fail('invariant 5', `${told}, cut short, and was not`);
    if (crawl.state === 'complete' && others.size === 0 && !countsAtEnd(evidence, side, { last }).includes(0))
      evidence.fail('invariant 7', `${told}, and no count was 0`);
  }
  return accepted;
}

/** Returns the lists that the service ended, without rejected items. */
function endedListsIn(evidence: Evidence): CompleteList[] {
  const snapshot = evidence.db.prepare<[number], number>('select finished_at from _list_snapshots where crawl_id = ?');
  return evidence.crawls.flatMap((crawl): CompleteList[] => {
    if (crawl.kind !== 'followers' && crawl.kind !== 'following') return [];
    const pages = pagesOf(evidence, crawl);
    const all = evidence.storedBy(crawl.id);
    const last = pages.at(-1);
    const isServed =
      crawl.ending === 'served' &&
      crawl.state !== 'partial' &&
      last !== undefined &&
      isEndOfList(evidence, last, pages);
    const others = new Set(pages.flatMap(({ parsed }) => parsed?.items ?? []));
    if (!isServed || isIncompleteList(pages) || pages.some(({ parsed }) => parsed && parsed.bad > 0)) return [];
    const of = last.parsed!.owner!;
    const finishedAt = snapshot.pluck().get(crawl.id);
    return [
      {
        side: crawl.kind,
        of,
        others,
        last,
        crawl,
        from: Math.min(...all.map(({ at }) => at)),
        until: evidence.sentBy(crawl.id).some(({ at }) => at === finishedAt)
          ? finishedAt!
          : Math.max(...all.map(({ at }) => at)),
        takenUp: crawl.started_at!,
        bytes: reading(pages)
          .map(({ hash }) => hash)
          .join(' '),
        hasUndetectableFault: hadUndetectableFault(pages),
      },
    ];
  });
}

/** Returns the pages from the last request without a cursor. */
const reading = (pages: readonly Served[]): readonly Served[] =>
  pages.slice(pages.findLastIndex(({ parameters }) => parameters['cursor'] === undefined));
