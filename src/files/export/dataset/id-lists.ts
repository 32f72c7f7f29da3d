import { createOutputFile } from '../output-file.ts';
import { readTable } from '../table-file.ts';
import type { DatasetRequest } from './dataset-request.ts';
import { DATASET_TABLES, selectFor } from './dataset-tables.ts';
import type { OutputFolder } from './output-folder.ts';
import type { DatasetFile } from './written-file.ts';

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

/** Rows that are written at once, and between two reports of progress. */
const BATCH_ROWS = 10_000;

/** Writes the ids of the tweets and accounts of a dataset. @throws TrawlError, or the reason of the signal */
export async function writeIdLists(request: IdListsRequest): Promise<DatasetFile[]> {
  const written: DatasetFile[] = [];
  for (const list of ID_LISTS) written.push(await writeIdList(list, request));
  return written;
}

async function writeIdList({ table, name, title, format }: IdList, request: IdListsRequest): Promise<DatasetFile> {
  const { snapshot, selection, folder, signal, onProgress } = request;
  const file = `${name}.txt`;
  const source = DATASET_TABLES.find((each) => each.name === table)!;
  await using output = await createOutputFile(folder.path(file));
  let rows = 0;
  let lines = '';
  // The first column is `rest_id`.
  for (const [id] of readTable(snapshot, source.table, selectFor(source, selection)).rows) {
    lines += `${format(id as string)}\n`;
    if (++rows % BATCH_ROWS !== 0) continue;
    signal?.throwIfAborted();
    onProgress?.({ table: file, rows });
    await output.write(lines);
    lines = '';
  }
  await output.write(lines);
  const bytes = await output.finish();
  await output.commit();
  return { name, title, file, format: 'txt', mediaType: 'text/plain', rows, ...bytes };
}
