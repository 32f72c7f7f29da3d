import type { DatasetRequest } from '#files/export/dataset/dataset-request.ts';
import { DATASET_TABLES, type DatasetTable, readDatasetTable } from '#files/export/dataset/dataset-tables.ts';
import { formatCitation } from '#files/export/dataset/documents/citation.ts';
import { formatDataPackage } from '#files/export/dataset/documents/data-package.ts';
import { formatDictionary } from '#files/export/dataset/documents/dictionary.ts';
import { formatReadme } from '#files/export/dataset/documents/readme.ts';
import { readPartitions } from '#files/export/dataset/partitions.ts';
import type { DatasetFile, FilePart } from '#files/export/dataset/written-file.ts';
import { FORMATS } from '#files/export/formats/formats.ts';
import { createOutputFile } from '#files/export/output-file.ts';
import type { Provenance } from '#files/export/sidecar.ts';
import { writeFile } from '#files/export/write-file.ts';
import type { DatasetFacts, DatasetTarget } from './dataset-target.ts';
import { writeIdLists } from './id-lists.ts';
import { DESCRIPTOR, type OutputFolder } from './output-folder.ts';

/** Returns the target that writes files to a folder. */
export const createFileTarget = (address: string, folder: OutputFolder): DatasetTarget => ({
  address,
  async writeTables(request, provenance) {
    if (request.format === 'ids') return await writeIdLists(folder, request);
    const written: DatasetFile[] = [];
    for (const table of DATASET_TABLES) written.push(await writeTable({ folder, table, request, provenance }));
    return written;
  },
  writeDocuments: (facts) => writeDocuments(folder, facts),
  commit: () => folder.commit(),
  [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
});

interface TableToWrite {
  readonly folder: OutputFolder;
  readonly table: DatasetTable;
  readonly request: DatasetRequest;
  readonly provenance: Provenance;
}

async function writeTable({ folder, table, request, provenance }: TableToWrite): Promise<DatasetFile> {
  const { name, title, isCoverage, primaryKey, foreignKeys = [], ownerColumn } = table;
  const { snapshot, selection, pseudonyms, partitions, signal, onProgress } = request;
  const format = isCoverage || request.format === 'ids' ? 'csv' : request.format;
  const { sql, parameters, ...result } = readDatasetTable(snapshot, table, selection, pseudonyms);
  onProgress?.({ table: name, rows: 0 });
  const parts: FilePart[] = [];
  let written = 0;
  async function writePart(file: string, { rows }: Pick<typeof result, 'rows'>): Promise<void> {
    const {
      rows: count,
      bytes,
      sha256,
    } = await writeFile({
      path: folder.path(file),
      format: FORMATS[format],
      result: { ...result, rows },
      signal,
      origin: { ...provenance, sql, parameters },
      pseudonyms,
      onRows: (more) => onProgress?.({ table: name, rows: written + more }),
    });
    written += count;
    parts.push({ file, bytes, sha256 });
  }
  const isPartitioned = partitions !== undefined && ownerColumn !== undefined;
  const pathOf = (partition: number | '*'): string => `data/${name}/partition=${partition}/${name}.${format}`;
  const file = isPartitioned ? pathOf('*') : `${isCoverage ? '' : 'data/'}${name}.${format}`;
  if (!isPartitioned) await writePart(file, result);
  else for (const part of readPartitions(request, table, partitions)) await writePart(pathOf(part.number), part);
  return {
    name,
    title,
    file,
    format,
    mediaType: FORMATS[format].mediaType,
    rows: written,
    parts,
    table: {
      columns: result.columns,
      primaryKey,
      foreignKeys,
      query: pseudonyms ? undefined : { sql, parameters },
    },
  };
}

interface Checksum {
  readonly file: string;
  readonly sha256: string;
}

async function writeDocuments(folder: OutputFolder, { readme, dataPackage }: DatasetFacts): Promise<void> {
  const { files, isIdsOnly, pseudonyms } = readme;
  const sums = [
    ...files.flatMap(({ parts }) => parts),
    await writeDocument(folder, 'README.md', formatReadme(readme)),
    await writeDocument(folder, DESCRIPTOR, formatDataPackage(dataPackage)),
  ];
  if (!isIdsOnly) {
    const dictionary = formatDictionary(files, pseudonyms !== undefined);
    sums.push(await writeDocument(folder, 'DATA_DICTIONARY.md', dictionary));
  }
  // Whoever publishes the dataset edits this one.
  await writeDocument(folder, 'CITATION.cff', formatCitation(dataPackage.metadata, dataPackage.snapshotAt));
  await writeDocument(folder, 'SHA256SUMS', formatChecksums(sums));
}

/** What `sha256sum -c` checks. */
const formatChecksums = (sums: readonly Checksum[]): string =>
  sums
    .toSorted((a, b) => (a.file < b.file ? -1 : 1))
    .map(({ file, sha256 }) => `${sha256}  ${file}\n`)
    .join('');

async function writeDocument(folder: OutputFolder, name: string, text: string): Promise<Checksum> {
  await using file = await createOutputFile(folder.path(name));
  await file.write(text);
  const { sha256 } = await file.finish();
  await file.commit();
  return { file: name, sha256 };
}
