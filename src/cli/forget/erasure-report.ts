import type { ErasureSummary } from '../../store/erasure/erase-accounts.ts';
import type { TableCounts } from '../../store/erasure/erase-rows.ts';
import { listFilesBeside } from '../../store/erasure/files-beside.ts';
import { hint, renderTable } from '../terminal/print.ts';

/** What an erasure leaves as it is. */
export interface Remains {
  /** Files beside the database whose names begin with its name. */
  readonly files: readonly string[];
  /** Tables that trawl did not create. */
  readonly ownTables: readonly string[];
  /** Views, triggers and indexes of users whose statement names an account. */
  readonly ownObjects: readonly string[];
  /** Where facts were shipped: a purge removes the accounts there. */
  readonly targets: readonly string[];
  /** What trawl cannot list, since it does not record it. */
  readonly elsewhere: readonly string[];
}

const ELSEWHERE = [
  'backups and other copies of the database, also former ones under another hard link, and snapshots of the disk',
  'earlier exports, charts, reports and datasets',
  'files of jobs, targets, panels and saved queries that name the accounts',
  'names of jobs and panels, and earlier handles that other accounts had, too',
  'other databases, and logs of workers',
];

export const listRemains = (
  db: string,
  { ownObjects }: Pick<ErasureSummary, 'ownObjects'>,
  targets: readonly string[],
): Remains => ({
  targets,
  files: listFilesBeside(db),
  ownTables: ownObjects.tables,
  ownObjects: ownObjects.naming,
  elsewhere: ELSEWHERE,
});

/** The lines that say what was not erased. */
export function* describeRemains(
  { files, ownTables, ownObjects, targets, elsewhere }: Remains,
  reassignedHandles: readonly string[],
): Generator<string, void> {
  if (reassignedHandles.length > 0) {
    const handles = reassignedHandles.map((handle) => `@${handle}`).join(', ');
    yield `another stored account has this handle now; records that name it stay: ${handles}`;
  }
  if (files.length > 0) yield `not erased, beside the database: ${files.join(', ')}`;
  if (ownTables.length > 0) yield `not erased, tables that trawl did not create: ${ownTables.join(', ')}`;
  if (ownObjects.length > 0)
    yield `not erased, views, triggers and indexes of yours that name an account: ${ownObjects.join(', ')}`;
  if (targets.length > 0)
    yield `not erased, facts that were shipped to ${targets.join(', ')}: ${hint('lake ship')} hides the accounts there, ${hint('lake purge')} then removes them`;
  yield `not erased, and not known to trawl: ${elsewhere.join('; ')}`;
}

/** A table of the numbers of rows; a sentence without rows. */
export const formatTables = (tables: readonly TableCounts[]): string =>
  tables.length === 0
    ? 'the database has no rows of these accounts'
    : renderTable(
        ['table', 'rows removed', 'rows changed'],
        tables.map(({ table, removed, changed }) => [table, removed, changed]),
      );
