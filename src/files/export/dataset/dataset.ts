import type { EvidenceAge } from '#analysis/recheck/evidence-age.ts';
import { readCollectionSummary } from '#files/export/collection.ts';
import { FORMATS } from '#files/export/formats/formats.ts';
import { type TextFormatter, writeText } from '#files/export/formats/text-format.ts';
import { createOutputFile } from '#files/export/output-file.ts';
import { pseudonymiseOrigin, withoutCommand, describePseudonyms } from '#files/export/pseudonyms/pseudonyms.ts';
import type { Selection } from '#files/export/row-selection.ts';
import { readProvenance, type Provenance } from '#files/export/sidecar.ts';
import type { Snapshot } from '#files/export/snapshot.ts';
import { countHiddenRows, type HiddenRows, readDeletionEvidence } from '#files/export/table-query.ts';
import { exportTables } from '#files/export/tables/export-tables.ts';
import { writeFile } from '#files/export/write-file.ts';
import { countLists } from './count-lists.ts';
import type { DatasetFormat } from './dataset-formats.ts';
import type { DatasetRequest } from './dataset-request.ts';
import { findDatasetTable, readDatasetTable, DATASET_TABLES, type DatasetTable } from './dataset-tables.ts';
import { formatCitation } from './documents/citation.ts';
import { formatDataPackage } from './documents/data-package.ts';
import { formatDictionary } from './documents/dictionary.ts';
import { describeDataset, formatReadme } from './documents/readme.ts';
import { chooseStatements, type Statements } from './metadata.ts';
import { createOutputFolder, DESCRIPTOR, type OutputFolder } from './output-folder.ts';
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

/** A file with one target of crawls per line, as `trawl crawl --from-file` reads them. */
interface IdList {
  readonly table: 'tweets' | 'users';
  readonly name: string;
  readonly title: string;
  /** The target that an id is written as. */
  readonly format: (id: string) => string;
}

/** Numbers are tweets, as other programs write them. An account is `id:1`, since `1` may be a handle. */
const ID_LISTS: readonly IdList[] = [
  {
    table: 'tweets',
    name: 'tweet_ids',
    title: 'Ids of tweets, one per line.',
    format: (id) => (/^\d{1,20}$/.test(id) ? id : `id:${id}`),
  },
  {
    table: 'users',
    name: 'user_ids',
    title: 'Ids of accounts, one per line, each after `id:`.',
    format: (id) => `id:${id}`,
  },
];

export interface IdListsRequest extends Pick<DatasetRequest, 'snapshot' | 'selection' | 'signal' | 'onProgress'> {
  readonly folder: OutputFolder;
}

/** Writes the ids of the tweets and accounts of a dataset. @throws TrawlError, or the reason of the signal */
async function writeIdLists(request: IdListsRequest): Promise<DatasetFile[]> {
  const written: DatasetFile[] = [];
  for (const list of ID_LISTS) written.push(await writeIdList(list, request));
  return written;
}

async function writeIdList({ table, name, title, format }: IdList, request: IdListsRequest): Promise<DatasetFile> {
  const { snapshot, selection, folder, signal, onProgress } = request;
  const file = `${name}.txt`;
  const result = readDatasetTable(snapshot, findDatasetTable(table), selection);
  await using output = await createOutputFile(folder.path(file));
  const onRows = (rows: number): void => onProgress?.({ table: file, rows });
  const rows = await writeText(formatIds(format), result, output, { signal, onRows });
  const bytes = await output.finish();
  await output.commit();
  return { name, title, file, format: 'txt', mediaType: 'text/plain', rows, ...bytes };
}

/** The first column is `rest_id`. */
const formatIds = (format: IdList['format']): TextFormatter =>
  function* ({ rows }) {
    for (const [id] of rows) yield `${format(id as string)}\n`;
  };

export interface TablesRequest extends Pick<
  DatasetRequest,
  'snapshot' | 'selection' | 'pseudonyms' | 'signal' | 'onProgress'
> {
  readonly provenance: Provenance;
  readonly format: DatasetFormat;
  readonly folder: OutputFolder;
}

/** Writes the tables of a dataset, one after the other. @throws TrawlError, or the reason of the signal */
async function writeTables(request: TablesRequest): Promise<DatasetFile[]> {
  const written: DatasetFile[] = [];
  for (const table of DATASET_TABLES) written.push(await writeTable(table, request));
  return written;
}

async function writeTable(table: DatasetTable, request: TablesRequest): Promise<DatasetFile> {
  const { name, title, isCoverage, primaryKey, foreignKeys = [] } = table;
  const { snapshot, provenance, selection, folder, pseudonyms, signal, onProgress } = request;
  const format = isCoverage ? 'csv' : request.format;
  const file = isCoverage ? `${name}.csv` : `data/${name}.${format}`;
  const { sql, parameters, ...result } = readDatasetTable(snapshot, table, selection, pseudonyms);
  onProgress?.({ table: name, rows: 0 });
  const { rows, bytes, sha256 } = await writeFile({
    path: folder.path(file),
    format: FORMATS[format],
    result,
    signal,
    origin: { ...provenance, sql, parameters },
    pseudonyms,
    onRows: (count) => onProgress?.({ table: name, rows: count }),
  });
  return {
    name,
    title,
    file,
    format,
    mediaType: FORMATS[format].mediaType,
    rows,
    bytes,
    sha256,
    table: {
      columns: result.columns,
      primaryKey,
      foreignKeys,
      query: pseudonyms ? undefined : { sql, parameters },
    },
  };
}
