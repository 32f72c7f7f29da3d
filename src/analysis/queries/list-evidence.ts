import { prepareAccountTargets } from '#analysis/account-targets.ts';
import { findEmptyLists } from '#analysis/quality/empty-lists.ts';
import { ACCOUNT_KINDS } from '#service/kinds/crawl-spec.ts';
import { isSuccessState, SUCCESS_STATES } from '#service/kinds/decide-end.ts';
import { type KindName, kindTable } from '#service/kinds/kinds.ts';
import { readGaps, readIntervals } from '#store/coverage/intervals.ts';
import type { Db } from '#store/sqlite/database.ts';

/** What crawls have read of a list. */
export interface ListEvidence {
  /** Whether a crawl has stored any of it, or found it empty. */
  readonly isCollected: boolean;
  /** The number of times that the whole list was read, by evidence (invariant 5); of an unpaged list, all that the service shows. */
  readonly complete: number;
  /** The items of its newest pages that are not stored, since their accounts are forgotten. */
  readonly erased: number;
  /** The newest crawl of the list. */
  readonly newest: { readonly id: number; readonly state: string; readonly reason: string | null } | undefined;
}

interface CrawlSummary {
  readonly id: number;
  readonly state: string;
  readonly reason: string | null;
  readonly pages: number;
  readonly erased: number;
}

/** Prepares reading what crawls of a kind have read of their lists. */
export function prepareListEvidence(db: Db, kind: KindName) {
  const { targetType } = kindTable[kind];
  const listTargets = targetType === 'account' ? prepareAccountTargets(db) : (target: string) => [target];
  const selectCrawls = db.$client.prepare<[string, string, string, string], CrawlSummary>(
    `select id, state, reason, pages, erased_items as erased from crawls indexed by crawls_target
     where kind = ? and target in (select value from json_each(?)) and coalesce(target_rest_id, ?) = ? order by id desc`,
  );
  const selectAny = db.$client.prepare(
    "select 1 from crawls indexed by crawls_target where kind = ? and (pages > 0 or state = 'complete') limit 1",
  );
  const selectRepeated = db.$client
    .prepare<[string, number], string>(
      `select coalesce(target_rest_id, target) from crawls indexed by crawls_target
       where kind = ? and state in (${SUCCESS_STATES.map((state) => `'${state}'`).join(', ')}) group by 1 having count(*) >= ?`,
    )
    .pluck();
  /** @param target the service's id of the account, or the target itself */
  function readEvidence(target: string): ListEvidence {
    const crawls = selectCrawls.all(kind, JSON.stringify(listTargets(target)), target, target);
    const complete = COUNTERS[kind]?.(db, target, crawls) ?? crawls.filter(isSuccessState).length;
    const isCollected = complete > 0 || crawls.some(({ pages, state }) => pages > 0 || state === 'complete');
    const [newest] = crawls;
    const erased = crawls.find(({ pages }) => pages > 0)?.erased ?? 0;
    return { isCollected, complete, erased, newest };
  }
  return {
    /** Whether any list of the kind was read. */
    isAnyCollected: (): boolean => selectAny.get(kind) !== undefined,
    /** Whether the whole of any list of the kind was read so many times. */
    isAnyRepeated: (times: number): boolean =>
      selectRepeated.all(kind, times).some((target) => readEvidence(target).complete >= times),
    of: readEvidence,
  };
}

/** Whether a crawl of an account ended with 404, by an index. `v_unavailable_accounts` reads all such crawls. */
export const hasNotFoundCrawl = (db: Db, restId: string): boolean =>
  db.$client
    .prepare<[string, string]>(
      `select 1 from crawls indexed by crawls_target
       where kind in (select value from json_each(?)) and target in (select value from json_each(?))
         and (state = 'failed' and reason = 'not_found' or reason = 'unavailable') limit 1`,
    )
    .get(JSON.stringify(ACCOUNT_KINDS), JSON.stringify(prepareAccountTargets(db)(restId))) !== undefined;

/** A crawl that sent no request, since the profile was fresh, is no observation. */
const isObservation = ({ state, reason }: CrawlSummary): boolean => state === 'complete' && reason !== 'seen_lately';

type Counter = (db: Db, target: string, crawls: readonly CrawlSummary[]) => number;

/** Counts complete lists, unless the newest list that reached an end is not one of them: it was closed or cut short. */
const countSnapshots =
  (side: 'followers' | 'following'): Counter =>
  ({ $client }, restId, crawls) => {
    const snapshots = $client
      .prepare<[string, string], number>(
        'select crawl_id from _list_snapshots where user_id = (select id from users where rest_id = ?) and side = ?',
      )
      .pluck()
      .all(restId, side);
    const newest = crawls.find(isSuccessState);
    return newest && snapshots.includes(newest.id) ? snapshots.length : 0;
  };

/** How complete lists are counted, by kind; by default, crawls that stored all that the service shows. */
const COUNTERS: Partial<Record<KindName, Counter>> = {
  followers: countSnapshots('followers'),
  following: countSnapshots('following'),
  tweet: (_, __, crawls) => crawls.filter(isObservation).length,
  profile({ $client }, restId, crawls) {
    const profileAt = $client
      .prepare<[string], number | null>('select profile_at from users where rest_id = ?')
      .pluck()
      .get(restId);
    return Math.max(profileAt == null ? 0 : 1, crawls.filter(isObservation).length);
  },
  timeline(db, restId, crawls) {
    const lists = { kinds: ['timeline'], targets: [restId] };
    const intervals = readIntervals(db, lists);
    const isWhole = intervals.length === 1 && intervals[0]!.listEnd === 'served' && readGaps(db, lists).length === 0;
    const isEmpty = intervals.length === 0 && findEmptyLists(db, restId).some(({ kind }) => kind === 'timeline');
    return isWhole || isEmpty ? Math.max(1, crawls.filter(isObservation).length) : 0;
  },
};
