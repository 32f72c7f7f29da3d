import { and, count, eq, gt, isNotNull, isNull, lt, max, min, type SQL, sql } from 'drizzle-orm';
import type { ListFacts } from '../../service/kinds/end-by-stored-facts.ts';
import type { CrawlEnd } from '../../service/kinds/end-states.ts';
import { getKind } from '../../service/kinds/kinds.ts';
import { preparePrunedRanges } from '../coverage/pruned-ranges.ts';
import { CURRENT, type EdgeKey, prepareEdgeRows, toObject } from '../merge/edge-rows.ts';
import { EDGE_RELATIONS } from '../relations/list-relations.ts';
import type { PageCommit } from '../schema/commit-messages.ts';
import type { CrawlRow } from '../schema/crawl-row.ts';
import type { EdgeList } from '../schema/normalised-rows.ts';
import { listSnapshots, follows, requests } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { bound, compileStatement, pickColumns, rowPlaceholders } from '../sqlite/statement.ts';
import { type EdgePeriod, endPeriods } from './edge-periods.ts';
import { isLackedBy, oldestCached, prepareShortLists } from './short-lists.ts';

export type ListSnapshotRow = typeof listSnapshots.$inferSelect;

type ListCrawl = Pick<CrawlRow, 'id' | 'kind' | 'startedAt' | 'items' | 'newItems'>;

const EDGE = ['followeeId', 'followerId', ...CURRENT] as const;

/** A list that the service ended without rejected items. */
export interface ReadList extends Omit<ListSnapshotRow, 'missedCount' | 'endedCount'> {
  /** The service's id of its account. */
  readonly owner: string;
  /** All stored edges of its owner are new. */
  readonly isFirst: boolean;
  /** The facts that decide whether it is evidence about the edges that it lacks. */
  readonly facts: ListFacts;
}

/**
 * Unfollows (invariant 7): what a list of followers or followed accounts proves about edges that it lacks. Only a list
 * that the service ended, without rejected items, and that the owner's counts do not contradict, is evidence, and only about edges that were last seen before it began.
 * The first such list marks them as missing; one that began after the end of the first ends them. Two crawls at one
 * instant may have shared one response, and count as one list. So do two lists of followed accounts with equal bytes that
 * begin within `CACHE_VALIDITY`, since they may be copies of one cached response. The order in which lists are stored does
 * not matter (decision 62).
 */
export function prepareUnfollows(db: Db) {
  const pruned = preparePrunedRanges(db);
  const { startedAt, userId } = bound;
  const shortLists = prepareShortLists(db);
  // Clocks of several machines differ, so that the times of the requests count.
  const firstAndLast = { first: min(requests.sentAt), last: max(requests.sentAt) };
  const requestTimes = compileStatement(
    db.select(firstAndLast).from(requests).where(eq(requests.crawlId, bound.crawlId)),
  );
  const insert = compileStatement(
    db.insert(listSnapshots).values(rowPlaceholders(listSnapshots)).onConflictDoNothing(),
  );
  /** Lists of an account that a list may be a copy of. A list without a digest may be a copy of any. */
  const mayBeCopied = and(
    eq(listSnapshots.userId, userId),
    eq(listSnapshots.side, 'following'),
    gt(listSnapshots.startedAt, oldestCached),
    sql`coalesce(${bound.digest} = ${listSnapshots.bodyDigest}, true)`,
  );
  const copied = compileStatement(
    db.select({ finishedAt: listSnapshots.finishedAt }).from(listSnapshots).where(mayBeCopied),
  );
  const prepare = (side: EdgeList['side']) => {
    const isOwned = eq(EDGE_RELATIONS[side].owner, userId);
    const isLacked = isLackedBy(side);
    const isEnded = and(
      isLacked,
      isNotNull(follows.firstMissedAt),
      lt(follows.firstMissedAt, startedAt),
      sql`${follows.firstMissedAt} not in (select value from json_each(${bound.copied}))`,
    );
    const isNewlyMissed = and(isLacked, isNull(follows.firstMissedAt));
    const isMissedLater = and(isLacked, isNotNull(follows.firstMissedAt), gt(follows.firstMissedAt, bound.finishedAt));
    const ended = { endedAt: sql`${follows.firstMissedAt}` };
    const countEdges = (condition: SQL | undefined) =>
      compileStatement(db.select({ n: count() }).from(follows).where(condition));
    return {
      count: countEdges(isOwned),
      end: compileStatement(db.update(follows).set(ended).where(isEnded)),
      findMissedLater: compileStatement(db.select(pickColumns(follows, EDGE)).from(follows).where(isMissedLater)),
      miss: compileStatement(db.update(follows).set({ firstMissedAt: bound.finishedAt }).where(isNewlyMissed)),
    };
  };
  const statements = { followers: prepare('followers'), following: prepare('following') };
  const edges = prepareEdgeRows(db);

  /** Derives the ends of edges again that a later list marked as missing before this one was stored. Returns how many ended. */
  function rederiveEnds(list: ReadList): number {
    const rows = statements[list.side].findMissedLater.all(list);
    const ended = rows.filter((row) => {
      const { followeeId, followerId, ...stored } = toObject<EdgeKey & EdgePeriod>(EDGE, row);
      const edge = { followeeId, followerId };
      const { lists, decisions } = edges.readEvidence(edge);
      const period = endPeriods([stored], { lists: [...lists, list], decisions })[0]!;
      edges.updateCurrent(edge, period);
      return period.endedAt !== null;
    });
    return ended.length;
  }

  return {
    /**
     * Reads the list that ends with a page, if the service ended it without rejected items. The page is stored.
     * @param newItems the new items of the page
     */
    readList(crawl: ListCrawl, page: PageCommit, newItems: number): ReadList | undefined {
      const whole = wholeListOf(crawl, page);
      if (!whole) return undefined;
      const { side, owner, members } = whole;
      const [first, last] = requestTimes.get({ crawlId: crawl.id }) as [number | null, number | null];
      // A count that another crawl has stored since the last request is of the time of the list, too.
      const list = { side, owner, startedAt: Math.min(crawl.startedAt ?? page.at, first ?? page.at, page.at) };
      const listOwner = shortLists.readOwner(list)!;
      const { userId, count: ownerCount } = listOwner;
      const [edges] = statements[side].count.get({ userId }) as [number];
      // If all stored edges were new to this crawl, as in a first one, none are missing.
      const isFirst = edges === crawl.newItems + newItems;
      const [seen, lacked] = isFirst ? [edges, 0] : shortLists.compareEdges({ ...list, userId });
      // Other lists may have shown edges in the meantime, and this one may have shown an account twice.
      const itemCount = Math.min(seen, crawl.items + members.length);
      return {
        crawlId: crawl.id,
        ...list,
        userId,
        finishedAt: Math.max(last ?? page.at, page.at),
        itemCount,
        ownerCount,
        bodyDigest: page.listDigest ?? null,
        isFirst,
        facts: shortLists.readFacts(list, listOwner, { shown: itemCount, seen, lacked }),
      };
    },

    /**
     * Marks and ends the edges that a list lacks which is evidence. Returns the list with these numbers.
     * @param isReplayed the page is stored already
     */
    endMissingEdges(list: ReadList, isReplayed: boolean) {
      const { side, owner, bodyDigest: digest, isFirst } = list;
      const { end, miss } = statements[side];
      const copies = isFirst || side === 'followers' ? [] : copied.all({ ...list, digest }).flat();
      const endedCount = isFirst
        ? 0
        : end.run({ ...list, copied: JSON.stringify(copies) }).changes + rederiveEnds(list);
      const missedCount = isFirst ? 0 : miss.run(list).changes;
      if (!isReplayed) pruned.removeList({ kind: side, target: owner });
      const snapshot = { ...list, missedCount, endedCount };
      insert.run(snapshot);
      return { ...snapshot, mayBeCopy: copies.length > 0 };
    },
  };
}

/** Whether the service ended the list and no item was rejected: only then it is evidence. */
const isWhole = ({ state, ending }: CrawlEnd): boolean => state === 'complete' && ending === 'served';

/** The list of a crawl that ends with a page, if it is evidence. The page of followers in a profile crawl does not count. */
const wholeListOf = ({ kind }: ListCrawl, { end, rows }: PageCommit): EdgeList | undefined =>
  end && isWhole(end) ? rows.follows.find(({ side }) => side === getKind(kind).edgeSide) : undefined;
