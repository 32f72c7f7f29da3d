import { prepareAccountCoverage } from '#analysis/coverage/account-coverage.ts';
import type { AccountCoverage } from '#analysis/coverage/coverage-model.ts';
import { LIST_LABELS } from '#analysis/coverage/list-answers.ts';
import type { EvidenceAge } from '#analysis/recheck/evidence-age.ts';
import type { SqlValue } from '#analysis/sql/sql-query.ts';
import { UsageError } from '#base/errors.ts';
import { describeStorageError } from '#store/sqlite/database-errors.ts';
import { FORMATS } from './formats/formats.ts';
import type { Format, FormatOptions } from './formats/output-format.ts';
import { pseudonymiseResult } from './pseudonyms/pseudonymise-result.ts';
import type { Pseudonyms } from './pseudonyms/pseudonyms.ts';
import type { ResultSet } from './result-set.ts';
import { type Selection, type SelectionQuery, defineSet } from './row-selection.ts';
import { readProvenance, type ListCompleteness, type Sidecar } from './sidecar.ts';
import type { Snapshot } from './snapshot.ts';
import { buildTableQuery, countHiddenRows, type HiddenRows, readDeletionEvidence } from './table-query.ts';
import { exportTables, type TableName } from './tables/export-tables.ts';
import { joinTargets } from './tables/join-targets.ts';
import type { ExportTable } from './tables/table-definition.ts';
import { writeFile, type WrittenFile } from './write-file.ts';

/** The rows of an exported table, with the statement that reads them. They can be read several times. */
export interface TableRows extends ResultSet, SelectionQuery {}

/**
 * Prepares the selected rows of a table. @param pseudonyms replaces identities
 * @throws UsageError if the selection does not apply to the table
 */
export function readTable(
  snapshot: Snapshot,
  table: ExportTable,
  selection: Selection,
  pseudonyms?: Pseudonyms,
): TableRows {
  const stored = readStoredTable(snapshot, table, selection);
  return pseudonyms ? { ...stored, ...pseudonymiseResult(table.name, stored, pseudonyms) } : stored;
}

function readStoredTable({ db, path }: Snapshot, table: ExportTable, selection: Selection): TableRows {
  const { sql, parameters } = buildTableQuery(table, selection);
  const statement = db.$client.prepare<unknown[], readonly SqlValue[]>(sql).raw().bind(parameters);
  return {
    sql,
    parameters,
    columns: table.columns.map(({ name, type, description }) => ({
      name,
      type,
      description,
    })),
    rows: {
      *[Symbol.iterator]() {
        try {
          yield* statement.iterate();
        } catch (error) {
          throw describeStorageError(error, path) ?? error;
        }
      },
    },
  };
}

export interface TableFileRequest extends Pick<FormatOptions, 'onRows' | 'signal'> {
  readonly snapshot: Snapshot;
  readonly table: TableName;
  readonly selection: Selection;
  readonly path: string;
  readonly format: Format;
  /** The command line, without the API key. */
  readonly command: string;
  readonly pseudonyms?: Pseudonyms | undefined;
}

/** A written table. */
export interface TableFile extends WrittenFile {
  /** The selected rows of deleted tweets and unavailable accounts: left out, unless the selection includes them. */
  readonly hidden: HiddenRows;
  /** How old the evidence of deletions is; undefined if the rows are not about tweets. */
  readonly deletions: EvidenceAge | undefined;
}

/** Writes the selected rows of a table to a file, with its sidecar. @throws TrawlError, or the reason of the signal */
export async function writeTableFile(request: TableFileRequest): Promise<TableFile> {
  const { snapshot, selection, path, format, command, pseudonyms, onRows, signal } = request;
  if (format === FORMATS.svg) {
    throw new UsageError('a table is not drawn', { hint: 'Draw the rows of a statement: trawl sql "…" -o chart.svg.' });
  }
  const table = exportTables[request.table];
  const { sql, parameters, ...result } = readTable(snapshot, table, selection, pseudonyms);
  const hidden = countHiddenRows(snapshot, table, selection);
  const deletions = table.tweetId === undefined ? undefined : readDeletionEvidence(snapshot, selection);
  const completeness = readCompleteness(snapshot, selection, table.kinds);
  const origin = { ...readProvenance(snapshot, command), sql, parameters };
  const file = await writeFile({
    path,
    format,
    result,
    origin,
    pseudonyms,
    onRows,
    signal,
    describe: () => ({ excluded: selection.includeDeleted ? {} : { ...hidden }, deletions, completeness }),
  });
  return { ...file, hidden, deletions };
}

/** The maximum number of lists that a sidecar names. */
const MAX_DETAILS = 1000;

/** A list, by the newest crawl of it. */
interface ListRow {
  readonly crawlId: number;
  readonly kind: string;
  readonly isComplete: 0 | 1;
}

type DetailRow = Omit<ListCompleteness, 'isComplete' | 'pruned'> & {
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
    .prepare<[object], ListRow>(
      `${includeDeleted ? '' : `with ${defineSet('deleted')}, ${defineSet('unavailable')}`}
       select v.crawl_id as crawlId, v.kind, v.is_complete as isComplete
       from v_completeness v ${includeDeleted ? '' : joinTargets('v.kind', 'v.target_rest_id')}
       ${conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`}
       order by v.is_complete, v.kind, v.target_rest_id`,
    )
    .iterate({
      ...(kinds && { kinds: JSON.stringify(kinds) }),
      ...(accountRestIds && { accounts: JSON.stringify(accountRestIds) }),
    });
  const lists = new Map<string, { kind: string; lists: number; complete: number }>();
  const named: number[] = [];
  for (const { crawlId, kind, isComplete } of rows) {
    const counts = lists.get(kind) ?? { kind, lists: 0, complete: 0 };
    lists.set(kind, counts);
    counts.lists += 1;
    counts.complete += isComplete;
    const isNamed = accountRestIds !== undefined || isComplete === 0;
    if (isNamed && named.length < MAX_DETAILS) named.push(crawlId);
  }
  return {
    lists: [...lists.values()].toSorted((a, b) => (a.kind < b.kind ? -1 : 1)),
    details: readDetails(db, named),
  };
}

/** Reads what is known about lists by their newest crawls. Only for these, stored items and gaps are counted: that takes long. */
function readDetails(db: Snapshot['db'], crawlIds: readonly number[]): ListCompleteness[] {
  const readAnswer = prepareListAnswers(db);
  return db.$client
    .prepare<[string], DetailRow>(
      `select v.kind, v.target_rest_id as target,
         case when v.target <> v.target_rest_id and v.target not like 'id:%' then v.target end as handle,
         v.is_complete as isComplete, v.complete_as_of as completeAsOf, v.stored, v.reported, v.gaps,
         v.pruned as items, v.pruned_at as prunedAt
       from v_completeness v where v.crawl_id in (select value from json_each(?))
       order by v.is_complete, v.kind, v.target_rest_id`,
    )
    .all(JSON.stringify(crawlIds))
    .map(({ isComplete, items, prunedAt, ...row }) => ({
      ...row,
      isComplete: isComplete === 1,
      ...(prunedAt === null ? {} : { pruned: { items, at: prunedAt } }),
      ...readAnswer(row),
    }));
}

/** Prepares reading what is said of the lists of stored accounts; undefined for other lists. */
function prepareListAnswers(db: Snapshot['db']) {
  const readCoverage = prepareAccountCoverage(db);
  const accounts = new Map<string, AccountCoverage | undefined>();
  return ({ kind, target }: Pick<ListRow, 'kind'> & Pick<ListCompleteness, 'target'>) => {
    if (!(kind in LIST_LABELS)) return undefined;
    if (!accounts.has(target)) accounts.set(target, readCoverage(target));
    const { orderedLists = [], accountLists = [] } = accounts.get(target) ?? {};
    const list = [...orderedLists, ...accountLists].find((each) => each.kind === kind);
    return list && { label: list.label, sentence: list.sentence, command: list.command };
  };
}
