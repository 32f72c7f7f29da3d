import { defineSet, type Selection } from './selection.ts';
import type { ListCompleteness, Sidecar } from './sidecar.ts';
import type { Snapshot } from './snapshot.ts';
import { joinTargets } from './tables/join-targets.ts';

/** The maximum number of lists that a sidecar names. */
const MAX_DETAILS = 1000;

type CompletenessRow = Omit<ListCompleteness, 'isComplete' | 'pruned'> & {
  readonly isComplete: 0 | 1;
  readonly items: number;
  readonly prunedAt: string | null;
};

/** The conditions that a list is neither of an unavailable account nor of a tweet that is deleted or by such an account. */
const IS_SHOWN = [
  '(u.id in (select id from unavailable)) is not true',
  '(t.author_id in (select id from unavailable)) is not true',
  '(t.id in (select id from deleted)) is not true',
];

/**
 * Reads what is known about the completeness of lists: the numbers of lists by kind, and at most 1,000 lists with their
 * open gaps, incomplete ones first. With selected accounts, it reads their lists only; without, it names incomplete lists only.
 * Lists of unavailable accounts and of deleted tweets are left out with their rows.
 * @param kinds the kinds of the lists; by default all
 */
export function readCompleteness(
  { db }: Snapshot,
  { accountRestIds, includeDeleted }: Selection,
  kinds?: readonly string[],
): Sidecar['completeness'] {
  const conditions = [
    ...(kinds ? ['v.kind in (select value from json_each(:kinds))'] : []),
    ...(accountRestIds ? ['v.target_rest_id in (select value from json_each(:accounts))'] : []),
    ...(includeDeleted ? [] : IS_SHOWN),
  ];
  const rows = db.$client
    .prepare<[object], CompletenessRow>(
      `${includeDeleted ? '' : `with ${defineSet('deleted')}, ${defineSet('unavailable')}`}
       select v.kind, v.target_rest_id as target,
         case when v.target <> v.target_rest_id and v.target not like 'id:%' then v.target end as handle,
         v.is_complete as isComplete, v.complete_as_of as completeAsOf, v.stored, v.reported, v.gaps,
         v.pruned as items, v.pruned_at as prunedAt
       from v_completeness v ${includeDeleted ? '' : joinTargets('v.kind', 'v.target_rest_id')}
       ${conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`}
       order by v.is_complete, v.kind, v.target_rest_id`,
    )
    .iterate({
      ...(kinds && { kinds: JSON.stringify(kinds) }),
      ...(accountRestIds && { accounts: JSON.stringify(accountRestIds) }),
    });
  const lists = new Map<string, { kind: string; lists: number; complete: number }>();
  const details: ListCompleteness[] = [];
  for (const { isComplete, items, prunedAt, ...row } of rows) {
    const counts = lists.get(row.kind) ?? { kind: row.kind, lists: 0, complete: 0 };
    lists.set(row.kind, counts);
    counts.lists += 1;
    counts.complete += isComplete;
    const isNamed = accountRestIds !== undefined || isComplete === 0;
    if (isNamed && details.length < MAX_DETAILS) {
      const pruned = prunedAt === null ? {} : { pruned: { items, at: prunedAt } };
      details.push({ ...row, isComplete: isComplete === 1, ...pruned });
    }
  }
  return { lists: [...lists.values()].toSorted((a, b) => (a.kind < b.kind ? -1 : 1)), details };
}
