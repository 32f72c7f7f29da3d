import { preparePrunedReads } from '../../store/coverage/pruned-ranges.ts';
import { EDGE_RELATIONS } from '../../store/relations/list-relations.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { prepareCountPairs } from '../account-counts.ts';
import type { AccountListCoverage } from './coverage-model.ts';
import { compareCounts } from './differences.ts';
import { answerAccountList } from './list-answers.ts';
import { explainUnproven, hasReachedEnd, type ListCheck, prepareListChecks } from './list-checks.ts';
import type { NamedAccount } from './named-account.ts';
import { explainReason } from './reasons.ts';

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
