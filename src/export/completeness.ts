import type { Selection } from './selection.ts';
import type { ListCompleteness, Sidecar } from './sidecar.ts';
import type { Snapshot } from './snapshot.ts';

/** The maximum number of lists that a sidecar names. */
const MAX_DETAILS = 1000;

type CompletenessRow = Omit<ListCompleteness, 'isComplete'> & { readonly isComplete: 0 | 1 };

/**
 * Reads what is known about the completeness of lists: the numbers of lists by kind, and at most 1,000 lists with their
 * open gaps, incomplete ones first. With selected accounts, it reads their lists only; without, it names incomplete lists only.
 * @param kinds the kinds of the lists; by default all
 */
export function readCompleteness(
  { db }: Snapshot,
  { accountRestIds }: Selection,
  kinds?: readonly string[],
): Sidecar['completeness'] {
  const conditions = [
    ...(kinds ? ['kind in (select value from json_each(:kinds))'] : []),
    ...(accountRestIds ? ['target_rest_id in (select value from json_each(:accounts))'] : []),
  ];
  const rows = db.$client
    .prepare<[object], CompletenessRow>(
      `select kind, target_rest_id as target, case when target <> target_rest_id and target not like 'id:%' then target end as handle,
         is_complete as isComplete, complete_as_of as completeAsOf, stored, reported, gaps
       from v_completeness ${conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`}
       order by is_complete, kind, target_rest_id`,
    )
    .iterate({
      ...(kinds && { kinds: JSON.stringify(kinds) }),
      ...(accountRestIds && { accounts: JSON.stringify(accountRestIds) }),
    });
  const lists = new Map<string, { kind: string; lists: number; complete: number }>();
  const details: ListCompleteness[] = [];
  for (const { isComplete, ...row } of rows) {
    const counts = lists.get(row.kind) ?? { kind: row.kind, lists: 0, complete: 0 };
    lists.set(row.kind, counts);
    counts.lists += 1;
    counts.complete += isComplete;
    const isNamed = accountRestIds !== undefined || isComplete === 0;
    if (isNamed && details.length < MAX_DETAILS) details.push({ ...row, isComplete: isComplete === 1 });
  }
  return { lists: [...lists.values()].toSorted((a, b) => (a.kind < b.kind ? -1 : 1)), details };
}
