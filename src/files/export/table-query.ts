import { type EvidenceAge, readEvidenceAge } from '#analysis/recheck/evidence-age.ts';
import { UsageError } from '#base/errors.ts';
import { bindSelection, defineSet, type Selection, type SelectionQuery, type SelectionSet } from './row-selection.ts';
import type { Snapshot } from './snapshot.ts';
import type { ExportTable } from './tables/table-definition.ts';

/**
 * Returns the statement that reads the selected rows of a table, in a stable order. Times are milliseconds.
 * A sample has the rows with the smallest SHA-256 of `<seed>:<sample key>`.
 * @throws UsageError if the table has no samples
 */
export function buildTableQuery(table: ExportTable, selection: Selection): SelectionQuery {
  const { accountRestIds, includeDeleted, sample } = selection;
  const sets: SelectionSet[] = [
    ...(accountRestIds ? (['selected'] as const) : []),
    ...(includeDeleted || table.tweetId === undefined ? [] : (['deleted'] as const)),
    ...(includeDeleted ? [] : (['unavailable'] as const)),
  ];
  const conditions = [
    ...listConditions(table, selection),
    ...(includeDeleted ? [] : [...isNotDeleted(table), ...isAvailable(table)]),
  ];
  const parameters = bindSelection(selection);
  const columns = table.columns.map(({ name, sql }) => (sql.endsWith(`.${name}`) ? sql : `${sql} as ${name}`));
  const select = `select\n  ${columns.join(',\n  ')}\nfrom ${table.from}\n`;
  const order = `order by ${table.orderBy}`;
  const population = joinConditions(conditions);
  if (!sample) return { sql: `${joinSets(sets.map(defineSet))}${select}${population}${order}`, parameters };

  if (table.sampleKey === undefined) throw new UsageError('--sample does not apply to coverage');
  const names = table.key.map((_, i) => `key${i + 1}`).join(', ');
  const draw = `select ${table.key.join(', ')}
from ${table.from}
${population}order by sha256(:seed || ':' || ${table.sampleKey})
limit cast(:size as integer)`;
  const chosen = `sample(${names}) as materialized (\n  ${draw.replaceAll('\n', '\n  ')}\n)`;
  const isChosen = `where (${table.key.join(', ')}) in (select ${names} from sample)\n`;
  return {
    sql: `${joinSets([...sets.map(defineSet), chosen])}${select}${isChosen}${order}`,
    parameters: { ...parameters, seed: sample.seed, size: sample.size },
  };
}

/** The numbers of selected rows (before sampling) of deleted tweets, and of other rows of unavailable accounts. */
export interface HiddenRows {
  readonly deletedTweets: number;
  readonly unavailableAccounts: number;
}

/** Reads how old the evidence of deletions of the selected accounts' tweets is. */
export const readDeletionEvidence = (
  { db, takenAt }: Pick<Snapshot, 'db' | 'takenAt'>,
  { accountRestIds, olderThan }: Pick<Selection, 'accountRestIds' | 'olderThan'>,
): EvidenceAge => readEvidenceAge(db, { now: takenAt, olderThan, accountIds: accountRestIds });

/** Counts the rows that only `includeDeleted` exports. It reads only these rows, by indexes. */
export function countHiddenRows({ db }: Snapshot, table: ExportTable, selection: Selection): HiddenRows {
  const sets = joinSets(
    [...(selection.accountRestIds ? (['selected'] as const) : []), 'deleted' as const, 'unavailable' as const].map(
      defineSet,
    ),
  );
  const count = (conditions: readonly string[]): number => {
    const where = joinConditions([...conditions, ...listConditions(table, selection)]);
    const statement = db.$client.prepare<[object], number>(`${sets}select count(*) from ${table.from}\n${where}`);
    return statement.pluck().get(bindSelection(selection))!;
  };
  return {
    deletedTweets: table.tweetId === undefined ? 0 : count([`${table.tweetId} in (select id from deleted)`]),
    unavailableAccounts: count([table.belongsTo('unavailable'), ...isNotDeleted(table)]),
  };
}

/** The conditions of the table, and those for accounts and times. */
function listConditions(table: ExportTable, { accountRestIds, since, until }: Selection): string[] {
  const { condition, belongsTo, time } = table;
  return [
    ...(condition === undefined ? [] : [condition]),
    ...(accountRestIds ? [belongsTo('selected')] : []),
    // The plus excludes the index on the time, with which all rows would be sorted.
    ...(since === undefined ? [] : [`+${time.last} >= cast(:since as integer)`]),
    ...(until === undefined ? [] : [`+${time.first} < cast(:until as integer)`]),
  ];
}

const isNotDeleted = ({ tweetId }: ExportTable): string[] =>
  tweetId === undefined ? [] : [`${tweetId} not in (select id from deleted)`];

/** An unknown author is not unavailable. */
const isAvailable = ({ accountIds }: ExportTable): string[] =>
  accountIds.map((id) => `(${id} in (select id from unavailable)) is not true`);

const joinSets = (sets: readonly string[]): string => (sets.length === 0 ? '' : `with ${sets.join(', ')}\n`);

const joinConditions = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : `where ${conditions.join('\n  and ')}\n`;
