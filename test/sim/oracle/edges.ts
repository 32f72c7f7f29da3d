import { DAY } from '../../../src/clock.ts';
import type { Served } from '../service.ts';
import { pagesOf } from './endings.ts';
import type { Evidence } from './evidence.ts';

interface EdgeRow {
  readonly follower: string;
  readonly followee: string;
  readonly first_seen: number;
  readonly last_seen: number;
  readonly first_missed: number | null;
  readonly ended: number | null;
}

/** A list that the service itself ended, and of which nothing was set aside: from its first request to its last. */
interface CompleteList {
  readonly side: 'followers' | 'following';
  readonly of: string;
  readonly from: number;
  readonly until: number;
  /** When its crawl was taken up: it may have waited for its first request. */
  readonly takenUp: number;
  readonly others: ReadonlySet<string>;
}

/**
 * Edges are what was served (law 7): first and last seen as the answers say; missing only if a complete list that began
 * after the edge was last seen lacks it, and ended only if a second one does that began after the first was over. What
 * proves nothing is a list that was cut off, whose end was inferred, or of which something was set aside.
 */
export function checkEdges(evidence: Evidence): void {
  const { look, fail } = evidence;
  const sightings = sightingsIn(evidence.kept);
  const lists = completeListsIn(evidence);
  const named = 'join users a on a.id = f.follower_id join users b on b.id = f.followee_id';
  const rows = look
    .prepare(`select a.rest_id as follower, b.rest_id as followee, f.* from follows f ${named}`)
    .all() as EdgeRow[];
  const earlier = look
    .prepare(
      `select a.rest_id as follower, b.rest_id as followee, f.*, null as first_missed from follow_history f ${named}`,
    )
    .all() as EdgeRow[];
  const stored = new Set(rows.map(keyOf));
  if (stored.size !== rows.length) fail('law 1', 'follows has an edge twice');
  for (const edge of sightings.keys()) if (!stored.has(edge)) fail('law 1', `follows lacks ${edge}, which was served`);

  for (const row of rows) {
    const edge = keyOf(row);
    const seen = sightings.get(edge);
    if (!seen) {
      fail('law 6', `follows has ${edge}, which was never served`);
      continue;
    }
    const times = seen.map(({ at }) => at);
    const stretches = earlier.filter((one) => keyOf(one) === edge);
    const last = Math.max(...times);
    if (row.last_seen !== last) fail('law 6', `edge ${edge} was last seen at ${row.last_seen}, not ${last}`);
    if (stretches.length === 0 && row.first_seen !== Math.min(...times))
      fail('law 6', `edge ${edge} was first seen at ${row.first_seen}, not ${Math.min(...times)}`);
    if (!times.includes(row.first_seen)) fail('law 6', `edge ${edge} was not seen at ${row.first_seen}`);
    const lacking = lists.filter(
      (list) => list.from > row.last_seen && isAbout(list, row) && !list.others.has(otherOf(list, row)),
    );
    if (row.first_missed !== null && !lacking.some(({ until }) => until === row.first_missed))
      fail('law 7', `edge ${edge} is missing since ${row.first_missed}, and no complete list says so`);
    if (row.ended !== null && !areTwo(lacking))
      fail('law 7', `edge ${edge} ended, and ${lacking.length} lists lack it`);
    // The other way round: what two lists lack one after the other has ended, whoever of them is unsure of an edge apart.
    // There a list counts from when its crawl was taken up, which is at most too careful.
    const sure = lacking
      .map((list) => ({ ...list, from: Math.min(list.from, list.takenUp) }))
      .filter(({ from, side }) => from - row.last_seen > (side === 'followers' ? 0 : DAY));
    if (row.ended === null && areTwo(sure))
      fail('law 7', `edge ${edge} has not ended, and ${sure.length} lists lack it`);
  }
  for (const row of earlier) {
    const edge = keyOf(row);
    const lacking = lists.filter(
      (list) => list.from > row.last_seen && isAbout(list, row) && !list.others.has(otherOf(list, row)),
    );
    if (!areTwo(lacking))
      fail('law 7', `an earlier stretch of edge ${edge} ended, and ${lacking.length} lists lack it`);
  }
}

const keyOf = ({ follower, followee }: Pick<EdgeRow, 'follower' | 'followee'>): string => `${follower} ${followee}`;
const isAbout = ({ side, of }: CompleteList, row: EdgeRow): boolean =>
  of === (side === 'followers' ? row.followee : row.follower);
const otherOf = ({ side }: CompleteList, row: EdgeRow): string => (side === 'followers' ? row.follower : row.followee);

/** Whether one of them began after another was over: two of one instant may be one answer. */
const areTwo = (lists: readonly CompleteList[]): boolean =>
  lists.some((first) => lists.some((second) => second !== first && second.from > first.until));

function sightingsIn(kept: readonly Served[]): Map<string, Served[]> {
  const seen = new Map<string, Served[]>();
  for (const entry of kept) {
    if (entry.endpoint !== 'followers' && entry.endpoint !== 'following') continue;
    const { owner, items } = entry.heard ?? { owner: undefined, items: [] };
    for (const other of items) {
      const edge = entry.endpoint === 'followers' ? `${other} ${owner}` : `${owner} ${other}`;
      seen.set(edge, [...(seen.get(edge) ?? []), entry]);
    }
  }
  return seen;
}

function completeListsIn(evidence: Evidence): CompleteList[] {
  return evidence.crawls.flatMap((crawl): CompleteList[] => {
    if (crawl.kind !== 'followers' && crawl.kind !== 'following') return [];
    const pages = pagesOf(evidence, crawl);
    const all = evidence.keptBy(crawl.id);
    const last = pages.at(-1);
    const isServed = crawl.state === 'complete' && last?.heard?.cursor === null;
    const others = new Set(pages.flatMap(({ heard }) => heard?.items ?? []));
    if (!isServed || pages.some(({ heard }) => heard!.bad > 0)) return [];
    // Lists are closed to strangers too: an empty one proves something only where it should be empty.
    if (others.size === 0 && countOf(evidence, crawl.kind, last) !== 0) return [];
    const of = last.heard!.owner!;
    return [
      {
        side: crawl.kind,
        of,
        others,
        from: Math.min(...all.map(({ at }) => at)),
        until: Math.max(...all.map(({ at }) => at)),
        takenUp: crawl.started_at!,
      },
    ];
  });
}

/** The number of items that the owner of a list was last said to have. */
function countOf({ kept }: Evidence, kind: 'followers' | 'following', list: Served): unknown {
  const said = kept.filter(({ n }) => n < list.n).flatMap(({ heard }) => heard?.users ?? []);
  return said
    .filter(({ id, as, values }) => id === list.heard!.owner && as !== 'reference' && `${kind}_count` in values)
    .at(-1)?.values[`${kind}_count`];
}
