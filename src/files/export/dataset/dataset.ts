import type { EvidenceAge } from '../../../analysis/recheck/evidence-age.ts';
import { readCollectionSummary } from '../collection.ts';
import { createOutputFile } from '../output-file.ts';
import { readProvenance } from '../provenance.ts';
import { describePseudonyms } from '../pseudonyms/describe-pseudonyms.ts';
import { pseudonymiseOrigin, withoutCommand } from '../pseudonyms/pseudonymised-sidecar.ts';
import type { Selection } from '../row-selection.ts';
import type { Snapshot } from '../snapshot.ts';
import { countHiddenRows, type HiddenRows, readDeletionEvidence } from '../table-query.ts';
import { exportTables } from '../tables/export-tables.ts';
import { countLists } from './count-lists.ts';
import type { DatasetRequest } from './dataset-request.ts';
import { findDatasetTable, readDatasetTable } from './dataset-tables.ts';
import { formatCitation } from './documents/citation.ts';
import { formatDataPackage } from './documents/data-package.ts';
import { formatDictionary } from './documents/dictionary.ts';
import { describeDataset, formatReadme } from './documents/readme.ts';
import { writeIdLists } from './id-lists.ts';
import { chooseStatements, type Statements } from './metadata.ts';
import { createOutputFolder, DESCRIPTOR, type OutputFolder } from './output-folder.ts';
import { writeTables } from './write-tables.ts';
import type { DatasetFile } from './written-file.ts';

/** A written dataset. */
export interface Dataset {
  readonly files: readonly DatasetFile[];
  /** The tweets and accounts that are left out, unless the selection includes them. */
  readonly hidden: HiddenRows;
  /** How old the evidence of deletions is. */
  readonly deletions: EvidenceAge;
  readonly statements: Statements;
}

/**
 * Writes a dataset to a folder, which appears under its name when it is complete.
 * @throws UsageError if the name is taken, TrawlError if it cannot be written, or the reason of the signal
 */
export async function writeDataset(request: DatasetRequest): Promise<Dataset> {
  const { snapshot, path, format, selection, overwrite, command, pseudonyms, signal } = request;
  using folder = createOutputFolder(path, { overwrite });
  const isIdsOnly = format === 'ids';
  const hidden = countHidden(snapshot, selection);
  const deletions = readDeletionEvidence(snapshot, selection);
  const crawls = readDatasetTable(snapshot, findDatasetTable('crawls'), selection);
  const collection = readCollectionSummary(snapshot.db, { ...crawls, sql: `select id from (${crawls.sql})` });
  const statements = chooseStatements(request.metadata.statements, pseudonyms ? [] : collection.jobs);
  const metadata = { ...request.metadata, statements };
  const provenance = readProvenance(snapshot, command);
  const files = isIdsOnly
    ? await writeIdLists({ ...request, folder })
    : await writeTables({ ...request, format, provenance, folder });
  const readme = {
    metadata,
    provenance,
    collection,
    selection,
    hidden,
    deletions,
    files,
    isIdsOnly,
    pseudonyms: pseudonyms && describePseudonyms(pseudonyms),
    lists: countLists(snapshot, readDatasetTable(snapshot, findDatasetTable('completeness'), selection)),
  };
  const { version, store, snapshotAt } = provenance;
  const dataPackage = {
    metadata,
    snapshotAt,
    hidden,
    files,
    description: describeDataset(readme),
    origin: isIdsOnly
      ? { version, store: { id: store.id } }
      : pseudonyms
        ? pseudonymiseOrigin(provenance, pseudonyms)
        : provenance,
    deletions: isIdsOnly || pseudonyms ? withoutCommand(deletions) : deletions,
  };
  const sums = [
    ...files.map(({ file, sha256 }) => ({ name: file, sha256 })),
    await writeDocument(folder, 'README.md', formatReadme(readme)),
    await writeDocument(folder, DESCRIPTOR, formatDataPackage(dataPackage)),
  ];
  if (!isIdsOnly) {
    const dictionary = formatDictionary(files, pseudonyms !== undefined);
    sums.push(await writeDocument(folder, 'DATA_DICTIONARY.md', dictionary));
  }
  // Whoever publishes the dataset edits this one.
  await writeDocument(folder, 'CITATION.cff', formatCitation(metadata, snapshotAt));
  await writeDocument(folder, 'SHA256SUMS', formatChecksums(sums));
  signal?.throwIfAborted();
  await folder.commit();
  return { files, hidden, deletions, statements };
}

interface Checksum {
  readonly name: string;
  readonly sha256: string;
}

/** What `sha256sum -c` checks. */
const formatChecksums = (sums: readonly Checksum[]): string =>
  sums
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, sha256 }) => `${sha256}  ${name}\n`)
    .join('');

async function writeDocument(folder: OutputFolder, name: string, text: string): Promise<Checksum> {
  await using file = await createOutputFile(folder.path(name));
  await file.write(text);
  const { sha256 } = await file.finish();
  await file.commit();
  return { name, sha256 };
}

/** The numbers of tweets and of accounts that are left out. */
const countHidden = (snapshot: Snapshot, selection: Selection): HiddenRows => ({
  deletedTweets: countHiddenRows(snapshot, exportTables.tweets, selection).deletedTweets,
  unavailableAccounts: countHiddenRows(snapshot, exportTables.users, {
    ...selection,
    since: undefined,
    until: undefined,
  }).unavailableAccounts,
});
