import { mkdirSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FactTableName } from '../facts/fact-tables.ts';
import type { FactBatch } from '../targets/fact-target.ts';
import { createFactFile, type FactFile } from './fact-file.ts';
import { factFilePath, partialFolder, syncFolder, writeLakeStore } from './lake-folder.ts';

/** A file is completed at this size. */
const FILE_BYTES = 128e6;

export interface LakeBatchOptions {
  readonly lake: string;
  readonly store: string;
  /** The first entry. */
  readonly first: number;
  readonly day: string;
}

interface OpenPart {
  readonly path: string;
  readonly file: FactFile;
  readonly part: number;
}

/** Opens a batch of files. They are written in a folder of their own until they are sealed. */
export function openLakeBatch({ lake, store, first, day }: LakeBatchOptions): FactBatch {
  const folder = partialFolder(lake, store);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const open = new Map<FactTableName, OpenPart>();
  const finished: { readonly table: FactTableName; readonly path: string; readonly part: number }[] = [];
  let facts = 0;

  async function openPart(table: FactTableName, part: number): Promise<OpenPart> {
    const path = join(folder, `${table}-${first}-${part}.parquet`);
    const opened = { path, part, file: await createFactFile(path, table, { 'trawl.store': store }) };
    open.set(table, opened);
    return opened;
  }

  async function finishPart(table: FactTableName): Promise<void> {
    const { file, path, part } = open.get(table)!;
    await file.finish();
    open.delete(table);
    finished.push({ table, path, part });
  }

  return {
    get facts(): number {
      return facts;
    },
    /** Whether a file has its full size: the batch is worth sealing. */
    get isFull(): boolean {
      return finished.length > 0;
    },

    async add(table, head, rows) {
      for (const row of rows) {
        const nextPart = finished.filter((each) => each.table === table).length;
        const part = open.get(table) ?? (await openPart(table, nextPart));
        await part.file.add([...head, ...row]);
        facts += 1;
        if (part.file.bytes >= FILE_BYTES) await finishPart(table);
      }
    },

    /** Gives the files their names. They count when the record is written. */
    async seal(record) {
      for (const table of open.keys()) await finishPart(table);
      const folders = new Set<string>();
      for (const { table, path, part } of finished) {
        const target = factFilePath(lake, { table, day, store, first, last: record.entry, part });
        mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
        await rename(path, target);
        folders.add(dirname(target));
      }
      for (const each of folders) await syncFolder(each);
      await writeLakeStore(lake, record);
    },

    async [Symbol.asyncDispose]() {
      for (const { file } of open.values()) await file.abandon();
    },
  };
}
