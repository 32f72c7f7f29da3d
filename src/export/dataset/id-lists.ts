import type { SqlValue } from '../../analysis/sql/query.ts';
import { createOutputFile, type WrittenBytes } from '../output-file.ts';
import type { Selection } from '../selection.ts';
import type { Snapshot } from '../snapshot.ts';
import { readTable } from '../table-file.ts';
import { DATASET_TABLES, selectFor } from './dataset-tables.ts';
import type { OutputFolder } from './output-folder.ts';
import type { TableProgress } from './write-tables.ts';

/** A file with one target of crawls per line, as `trawl crawl --from-file` reads them. */
interface IdList {
  readonly table: 'tweets' | 'users';
  readonly file: string;
  readonly description: string;
  /** The target that an id is written as. */
  readonly format: (id: string) => string;
}

/** Numbers are tweets, as other programs write them. An account is `id:1`, since `1` may be a handle. */
const ID_LISTS: readonly IdList[] = [
  {
    table: 'tweets',
    file: 'tweet_ids.txt',
    description: 'Ids of tweets, one per line.',
    format: (id) => (/^\d{1,20}$/.test(id) ? id : `id:${id}`),
  },
  {
    table: 'users',
    file: 'user_ids.txt',
    description: 'Ids of accounts, one per line, each after `id:`.',
    format: (id) => `id:${id}`,
  },
];

export interface WrittenIdList extends WrittenBytes {
  readonly name: string;
  readonly file: string;
  readonly rows: number;
  readonly description: string;
}

export interface IdListsRequest {
  readonly snapshot: Snapshot;
  readonly selection: Selection;
  readonly folder: OutputFolder;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: TableProgress) => void) | undefined;
}

/** Rows that are written at once, and between two reports of progress. */
const BATCH_ROWS = 10_000;

/** Writes the ids of the tweets and accounts of a dataset. @throws TrawlError, or the reason of the signal */
export async function writeIdLists(request: IdListsRequest): Promise<WrittenIdList[]> {
  const written: WrittenIdList[] = [];
  for (const list of ID_LISTS) written.push(await writeIdList(list, request));
  return written;
}

async function writeIdList(list: IdList, request: IdListsRequest): Promise<WrittenIdList> {
  const { table, file, description, format } = list;
  const { snapshot, selection, folder, signal, onProgress } = request;
  const source = DATASET_TABLES.find(({ name }) => name === table)!;
  const ids = readIds(readTable(snapshot, source.table, selectFor(source, selection)));
  await using output = await createOutputFile(folder.path(file));
  let rows = 0;
  let lines = '';
  for (const id of ids) {
    lines += `${format(id)}\n`;
    if (++rows % BATCH_ROWS !== 0) continue;
    signal?.throwIfAborted();
    onProgress?.({ table: file, rows });
    await output.write(lines);
    lines = '';
  }
  if (lines !== '') await output.write(lines);
  const bytes = await output.finish();
  await output.commit();
  return {
    name: file.slice(0, -'.txt'.length),
    file,
    rows,
    description,
    ...bytes,
  };
}

/** The values of the first column, which is `rest_id`. */
function* readIds({ rows }: { readonly rows: Iterable<readonly SqlValue[]> }): Generator<string> {
  for (const [id] of rows) yield id as string;
}
