import type { DatasetRequest } from '#files/export/dataset/dataset-request.ts';
import { findDatasetTable, readDatasetTable } from '#files/export/dataset/dataset-tables.ts';
import type { DatasetFile } from '#files/export/dataset/written-file.ts';
import { type TextFormatter, writeText } from '#files/export/formats/text-format.ts';
import { createOutputFile } from '#files/export/output-file.ts';
import type { OutputFolder } from './output-folder.ts';

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

/** Writes the ids of the tweets and accounts of a dataset. @throws TrawlError, or the reason of the signal */
export async function writeIdLists(folder: OutputFolder, request: DatasetRequest): Promise<DatasetFile[]> {
  const written: DatasetFile[] = [];
  for (const list of ID_LISTS) written.push(await writeIdList(list, folder, request));
  return written;
}

async function writeIdList(
  { table, name, title, format }: IdList,
  folder: OutputFolder,
  { snapshot, selection, signal, onProgress }: DatasetRequest,
): Promise<DatasetFile> {
  const file = `${name}.txt`;
  const result = readDatasetTable(snapshot, findDatasetTable(table), selection);
  await using output = await createOutputFile(folder.path(file));
  const onRows = (rows: number): void => onProgress?.({ table: file, rows });
  const rows = await writeText(formatIds(format), result, output, { signal, onRows });
  const bytes = await output.finish();
  await output.commit();
  return { name, title, file, format: 'txt', mediaType: 'text/plain', rows, parts: [{ file, ...bytes }] };
}

/** The first column is `rest_id`. */
const formatIds = (format: IdList['format']): TextFormatter =>
  function* ({ rows }) {
    for (const [id] of rows) yield `${format(id as string)}\n`;
  };
