import type { ListFacts, CrawlEnd } from '#service/kinds/decide-end.ts';
import { getKind } from '#service/kinds/kinds.ts';
import { preparePrunedRanges } from '#store/coverage/pruned-ranges.ts';
import { type EdgeKey, PERIOD_COLUMNS, prepareEdgeRows } from '#store/merge/merge-follows.ts';
import { EDGE_RELATIONS } from '#store/relations/list-relations.ts';
import type { PageCommit } from '#store/schema/commit-messages.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { EdgeList } from '#store/schema/normalised-rows.ts';
import { listSnapshots } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { compileStatement, createValuePreparer, rowPlaceholders } from '#store/sqlite/statement.ts';
import { type EdgePeriod, endPeriods } from './edge-periods.ts';
import { isLackedBy, OLDEST_CACHED, prepareShortLists } from './short-lists.ts';

export type ListSnapshotRow = typeof listSnapshots.$inferSelect;

type ListCrawl = Pick<CrawlRow, 'id' | 'kind' | 'startedAt' | 'items' | 'newItems'>;

/** A list that the service ended without rejected items. */
export interface ReadList extends Omit<ListSnapshotRow, 'missedCount' | 'endedCount'> {
  /** The service's id of its account. */
  readonly owner: string;
  /** All stored edges of its owner are new. */
  readonly isFirst: boolean;
  /** The facts that decide whether it is evidence about the edges that it lacks. */
  readonly facts: ListFacts;
}

/** Prepares the statements for lists of one side. */
function prepareSide(db: Db, side: EdgeList['side']) {
  const { $client } = db;
  const prepareValue = createValuePreparer(db);
  const isLacked = isLackedBy(side);
  return {
    count: prepareValue<[object], number>(
      `select count(*) from follows where ${EDGE_RELATIONS[side].owner.name} = @userId`,
    ),
    end: $client.prepare<[object]>(
      `update follows set ended_at = first_missed_at where ${isLacked} and first_missed_at < @startedAt
         and first_missed_at not in (select value from json_each(@copied))`,
    ),
    findMissedLater: $client.prepare<[object], EdgeKey & EdgePeriod>(
      `select followee_id as followeeId, follower_id as followerId, ${PERIOD_COLUMNS} from follows
       where ${isLacked} and first_missed_at > @finishedAt`,
    ),
    miss: $client.prepare<[object]>(
      `update follows set first_missed_at = @finishedAt where ${isLacked} and first_missed_at is null`,
    ),
  };
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
  const { $client } = db;
  const pruned = preparePrunedRanges(db);
  const shortLists = prepareShortLists(db);
  const edges = prepareEdgeRows(db);
  const prepare = <Row extends unknown[]>(sql: string) => $client.prepare<[object], Row>(sql).raw();
  // Clocks of several machines differ, so that the times of the requests count.
  const requestTimes = prepare<[first: number | null, last: number | null]>(
    'select min(sent_at), max(sent_at) from requests where crawl_id = @id',
  );
  const insert = compileStatement(
    db.insert(listSnapshots).values(rowPlaceholders(listSnapshots)).onConflictDoNothing(),
  );
  /** Lists of an account that a list may be a copy of. A list without a digest may be a copy of any. */
  const copied = prepare<[finishedAt: number]>(
    `select finished_at from _list_snapshots where user_id = @userId and side = 'following'
       and started_at > ${OLDEST_CACHED} and coalesce(@bodyDigest = body_digest, true)`,
  );
  const statements = { followers: prepareSide(db, 'followers'), following: prepareSide(db, 'following') };

  /** Derives the ends of edges again that a later list marked as missing before this one was stored. Returns how many ended. */
  function rederiveEnds(list: ReadList): number {
    const rows = statements[list.side].findMissedLater.all(list);
    const ended = rows.filter(({ followeeId, followerId, ...stored }) => {
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
      const [first, last] = requestTimes.get({ id: crawl.id })!;
      // A count that another crawl has stored since the last request is of the time of the list, too.
      const list = { side, owner, startedAt: Math.min(crawl.startedAt ?? page.at, first ?? page.at, page.at) };
      const listOwner = shortLists.readOwner(list)!;
      const { userId, count: ownerCount } = listOwner;
      const edges = statements[side].count.get({ userId })!;
      // If all stored edges were new to this crawl, as in a first one, none are missing.
      const isFirst = edges === crawl.newItems + newItems;
      const [seen, lacked] = isFirst ? [edges, 0] : shortLists.compareEdges({ ...list, userId });
      // Other lists may have shown edges in the meantime, and this one may have shown an account twice. The items of a page
      // that is requested again are not counted, but a first list has shown all edges.
      const itemCount = isFirst ? edges : Math.min(seen, crawl.items + members.length);
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
      const { side, owner, isFirst } = list;
      const { end, miss } = statements[side];
      const copies = isFirst || side === 'followers' ? [] : copied.all(list).flat();
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
