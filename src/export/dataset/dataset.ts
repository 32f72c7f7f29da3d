import type { EvidenceAge } from '../../analysis/recheck/evidence-age.ts';
import { createOutputFile, type WrittenBytes } from '../output-file.ts';
import { readProvenance } from '../provenance.ts';
import { describePseudonyms } from '../pseudonyms/describe-pseudonyms.ts';
import type { Pseudonyms } from '../pseudonyms/pseudonyms.ts';
import type { Selection } from '../selection.ts';
import type { Snapshot } from '../snapshot.ts';
import { readTable } from '../table-file.ts';
import { countHiddenRows, type HiddenRows, readDeletionEvidence } from '../table-query.ts';
import { exportTables } from '../tables/tables.ts';
import { countLists, readCollection } from './collection.ts';
import type { DatasetFormat } from './dataset-formats.ts';
import { DATASET_TABLES, selectFor } from './dataset-tables.ts';
import { formatChecksums } from './documents/checksums.ts';
import { formatCitation } from './documents/citation.ts';
import { formatDataPackage, type PackageFacts } from './documents/data-package.ts';
import { formatDatasetteMetadata } from './documents/datasette.ts';
import { formatDictionary } from './documents/dictionary.ts';
import { formatProvenance } from './documents/provenance.ts';
import { describeDataset, formatReadme, type ReadmeFacts } from './documents/readme.ts';
import { writeIdLists } from './id-lists.ts';
import { chooseStatements, type DatasetMetadata, type Statements } from './metadata.ts';
import { createOutputFolder, DESCRIPTOR, type OutputFolder } from './output-folder.ts';
import { type TableProgress, writeTables } from './write-tables.ts';

export interface DatasetRequest {
  readonly snapshot: Snapshot;
  /** The folder to write. */
  readonly path: string;
  /** The format of the tables; `ids` for a dataset without content. */
  readonly format: DatasetFormat | 'ids';
  readonly selection: Selection;
  /** The title, authors and publisher, and the statements that replace those of the jobs. */
  readonly metadata: Omit<DatasetMetadata, 'statements'> & { readonly statements: Partial<Statements> };
  /** The command line, without the API key. */
  readonly command: string;
  readonly overwrite?: boolean | undefined;
  /** Replaces identities in all files. Statements of jobs are left out, since they may name accounts. */
  readonly pseudonyms?: Pseudonyms | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: TableProgress) => void) | undefined;
}

/** A written dataset. */
export interface Dataset {
  readonly files: readonly (WrittenBytes & { readonly file: string; readonly rows: number })[];
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
  const { snapshot, path, selection, overwrite, command, pseudonyms } = request;
  using folder = createOutputFolder(path, { overwrite });
  const hidden = countHidden(snapshot, selection);
  const deletions = readDeletionEvidence(snapshot, selection);
  const collection = readCollection(snapshot, readDatasetTable(snapshot, 'crawls', selection));
  const statements = chooseStatements(request.metadata.statements, pseudonyms ? [] : collection.jobs);
  const facts = {
    metadata: {
      ...request.metadata,
      statements,
    },
    provenance: readProvenance(snapshot, command),
    collection,
    selection,
    hidden,
    deletions,
    pseudonyms: pseudonyms && describePseudonyms(pseudonyms),
    lists: countLists(snapshot, readDatasetTable(snapshot, 'completeness', selection)),
  };
  const { data, documents } =
    request.format === 'ids'
      ? await writeIds(facts, folder, request)
      : await writeAll(facts, folder, request, request.format);
  const described = await Promise.all(documents.map(([name, text]) => writeDocument(folder, name, text)));
  const sums = [...data.map(({ file, sha256 }) => ({ name: file, sha256 })), ...described];
  // Whoever publishes the dataset edits this one.
  await writeDocument(folder, 'CITATION.cff', formatCitation(facts.metadata, facts.provenance.snapshotAt));
  await writeDocument(folder, 'SHA256SUMS', formatChecksums(sums));
  request.signal?.throwIfAborted();
  await folder.commit();
  return { files: data, hidden, deletions, statements };
}

type Facts = Omit<ReadmeFacts, 'files' | 'isIdsOnly'>;
/** The names and the texts of files. */
type Documents = readonly (readonly [name: string, text: string])[];

/** The tables, with their descriptions. */
async function writeAll(facts: Facts, folder: OutputFolder, request: DatasetRequest, format: DatasetFormat) {
  const { snapshot, selection, pseudonyms, signal, onProgress } = request;
  const hasAllAccounts =
    selection.accountRestIds === undefined &&
    (selection.includeDeleted === true || facts.hidden.unavailableAccounts === 0);
  const tables = await writeTables({
    snapshot,
    provenance: facts.provenance,
    selection,
    format,
    folder,
    hasAllAccounts,
    pseudonyms,
    signal,
    onProgress,
  });
  const files = tables.map(({ file, rows, title }) => ({ file, rows, description: title }));
  const readme = { ...facts, files, isIdsOnly: false };
  const about: PackageFacts = { ...facts, description: describeDataset(readme) };
  const documents: Documents = [
    ['README.md', formatReadme(readme)],
    ['DATA_DICTIONARY.md', formatDictionary(tables, pseudonyms !== undefined)],
    [DESCRIPTOR, formatDataPackage({ tables }, about)],
    ['provenance.json', formatProvenance(tables, { ...facts, pseudonyms })],
    ['datasette.json', formatDatasetteMetadata(tables, about)],
  ];
  return { data: tables, documents };
}

/** The ids, and nothing that names anybody. */
async function writeIds(
  facts: Facts,
  folder: OutputFolder,
  { snapshot, selection, signal, onProgress }: DatasetRequest,
) {
  const idLists = await writeIdLists({ snapshot, selection, folder, signal, onProgress });
  const readme = { ...facts, files: idLists, isIdsOnly: true };
  const about: PackageFacts = { ...facts, description: describeDataset(readme) };
  const documents: Documents = [
    ['README.md', formatReadme(readme)],
    [DESCRIPTOR, formatDataPackage({ idLists }, about)],
  ];
  return { data: idLists, documents };
}

async function writeDocument(
  folder: OutputFolder,
  name: string,
  text: string,
): Promise<{ name: string; sha256: string }> {
  await using file = await createOutputFile(folder.path(name));
  await file.write(text);
  const { sha256 } = await file.finish();
  await file.commit();
  return { name, sha256 };
}

/** Prepares the statement of a table of the dataset. */
function readDatasetTable(snapshot: Snapshot, name: string, selection: Selection) {
  const table = DATASET_TABLES.find((one) => one.name === name)!;
  return readTable(snapshot, table.table, selectFor(table, selection));
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
