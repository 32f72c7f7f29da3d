import type { Served } from '../service.ts';
import type { CrawlFacts, Evidence } from './evidence.ts';

/** Maximum time until a page is stored, in milliseconds. */
const LATE_MS = 5000;
const DAY = 86_400_000;

/** A process stores its responses in the order in which it decides; those of others may be late. */
const isSurelyBefore = (evidence: Evidence, page: Served, list: Served): boolean =>
  page.sender.crawlId === list.sender.crawlId ||
  (page.answeredAt !== undefined &&
    decidedAt(evidence, page) + (page.sender.process === list.sender.process ? 0 : LATE_MS) <= list.at);

type Side = 'followers' | 'following';

/** When a crawl had the last response that it decided by: that of a list, or that of its owner's count after it. */
function decidedAt({ sentBy }: Evidence, { n, at, answeredAt = at, sender }: Served): number {
  const isCount = (one: Served): boolean =>
    one.n > n && one.endpoint === 'user-profile' && one.sender.activation === sender.activation;
  const counts = sentBy(sender.crawlId).filter(isCount);
  return Math.max(answeredAt, ...counts.map((one) => one.answeredAt ?? one.at));
}

/** The counts of an owner that the last page of its list may have met in the store; undefined: none. */
export function countsAtEnd(
  evidence: Evidence,
  side: Side,
  { last, since = -Infinity }: { readonly last: Served; readonly since?: number },
): (number | undefined)[] {
  const until = decidedAt(evidence, last) + LATE_MS;
  const shown = evidence.stored
    .filter(({ at, answeredAt = at }) => answeredAt >= since && at <= until)
    .flatMap((page) => (page.parsed?.users ?? []).map((user) => ({ ...user, page })))
    .filter(({ id, as, values }) => id === last.parsed!.owner && as !== 'reference' && `${side}_count` in values)
    .map(({ values, page }) => ({
      count: values[`${side}_count`] as number,
      isSure: page.at >= since && isSurelyBefore(evidence, page, last),
    }));
  const late = shown.filter(({ isSure }) => !isSure);
  return [shown.findLast(({ isSure }) => isSure), ...late].map((one) => one?.count);
}

/** A list of followers or followed accounts that the service ended, without rejected items. */
export interface EndedList {
  readonly side: Side;
  readonly of: string;
  readonly others: ReadonlySet<string>;
  /** From its lease or its first request, to its last one. */
  readonly from: number;
  readonly until: number;
  readonly last: Served;
  readonly crawl: CrawlFacts;
}

/** From when on a count belongs to a list: its lease, which may be before its first request. */
const startOf = ({ from, crawl }: EndedList): number => Math.min(from, crawl.started_at!);

/** What a list may be, as its numbers leave open what the store had before its last page. */
interface Judgement {
  readonly mayBeEvidence: boolean;
  readonly mayBeShort: boolean;
}

/**
 * Judges what a list lacks (invariant 7). It is evidence if it shows no fewer accounts than the last accepted list, but for
 * the decrease of the owner's count and one account or 0.5 %. Without an accepted list, the stored edges stand for it, and
 * a list of less than half of the count, with at least 20 missing, is no evidence. Without a count, nothing that it lacks is.
 */
export function judgeList(evidence: Evidence, list: EndedList, earlier: readonly EndedList[]): Judgement {
  const { db, stored } = evidence;
  const { side, of, others, from, last } = list;
  const [own, other] = side === 'followers' ? ['followee_id', 'follower_id'] : ['follower_id', 'followee_id'];
  const edges = db
    .prepare<
      [string],
      {
        readonly member: string;
        readonly first: number;
        readonly last: number;
        readonly ended: number | null;
        readonly seenIn: 0 | 1;
        readonly isCurrent: 0 | 1;
      }
    >(
      `select u.rest_id as member, f.first_seen_at as first, f.last_seen_at as last, f.ended_at as ended, f.last_seen_in as seenIn,
         f.isCurrent from (
           select followee_id, follower_id, first_seen_at, last_seen_at, ended_at, last_seen_in, 1 as isCurrent from follows
           union all select followee_id, follower_id, first_seen_at, last_seen_at, ended_at, last_seen_in, 0 from follow_history
         ) f join users u on u.id = f.${other} where f.${own} = (select id from users where rest_id = ?)`,
    )
    .all(of);
  const sightings = stored.flatMap((page) => {
    const { owner, items = [] } = page.parsed ?? {};
    if (page.endpoint === side && owner === of) return items.map((member) => ({ member, page }));
    const isOther = page.endpoint === (side === 'followers' ? 'following' : 'followers');
    return isOther && items.includes(of) ? [{ member: owner!, page }] : [];
  });
  const until = decidedAt(evidence, last) + LATE_MS;
  const seenSince = sightings.filter(({ page }) => (page.answeredAt ?? page.at) >= from && page.at <= until);
  const most = new Set([...others, ...seenSince.map(({ member }) => member)]).size;
  // Includes accounts that another list has shown in the meantime.
  const mayLack = new Set(
    sightings.filter(({ member, page }) => page.at <= until && !others.has(member)).map(({ member }) => member),
  ).size;
  const lacks = edges.filter(
    ({ member, last: seenAt, ended, seenIn, isCurrent }) =>
      isCurrent &&
      ended === null &&
      !others.has(member) &&
      seenAt + LATE_MS < from - (side === 'following' && seenIn === 0 ? DAY : 0),
  ).length;

  const counts = countsAtEnd(evidence, side, { last, since: startOf(list) });
  const baselines: ({ readonly list: EndedList; readonly count: number } | undefined)[] = [];
  let isLast = false;
  for (const one of earlier.toSorted((a, b) => b.until - a.until)) {
    if (one.side !== side || one.of !== of || one.crawl.id === list.crawl.id || one.from >= from) continue;
    const known = countsAtEnd(evidence, side, { last: one.last, since: startOf(one) });
    for (const count of known) if (count !== undefined) baselines.push({ list: one, count });
    isLast = !known.includes(undefined) && one.crawl.finished_at! + LATE_MS < startOf(list);
    if (isLast) break;
  }
  if (!isLast) baselines.push(undefined);

  const isFew = (missing: number, size: number): boolean => missing <= Math.max(1, size / 200);
  const cases = baselines.flatMap((baseline) => counts.map((count) => ({ baseline, count })));
  const isPart = (shown: number, count: number | undefined): boolean =>
    count !== undefined && count - shown >= 20 && shown * 2 < count;
  const explains = ({ baseline, count }: (typeof cases)[number], [shown, lacked, ended]: number[]): boolean => {
    if (count === undefined) return false;
    if (!baseline) return isFew(lacked!, shown! + lacked!);
    const size = baseline.list.others.size - ended!;
    return isFew(size - shown! - (baseline.count - count), size);
  };
  const endedSince = ({ list: { from: start, until } }: NonNullable<(typeof baselines)[number]>): number =>
    edges.filter((edge) => edge.ended !== null && edge.last >= start && edge.first <= until).length;
  return {
    mayBeEvidence: cases.some(
      (one) =>
        !(one.baseline === undefined && isPart(most, one.count)) &&
        (lacks === 0 || explains(one, [most, lacks, one.baseline ? endedSince(one.baseline) : 0])),
    ),
    mayBeShort: cases.some(
      (one) =>
        (one.baseline === undefined && isPart(others.size, one.count)) ||
        (mayLack > 0 && !explains(one, [others.size, mayLack, 0])),
    ),
  };
}
