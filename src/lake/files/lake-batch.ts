import { join } from 'node:path';
import type { Fact, FactTableName } from '#store/outbox/fact-tables.ts';
import { createFactFile, type FactFile, type FactHead } from './fact-file.ts';
import type { LakeWriter, ShippedStore } from './lake.ts';

/** A file is completed at this size. It is in memory while it is uploaded, and while a purge or restore reads it. */
const FILE_BYTES = 32e6;

export interface FactBatchOptions {
  readonly writer: LakeWriter;
  readonly store: string;
  /** The first entry. */
  readonly first: number;
  /** When its entries were recorded: `2026-01-31`, UTC. */
  readonly day: string;
}

/** Facts of a range of entries of one day, which appear in the lake together. Disposal abandons what is not sealed. */
export type FactBatch = ReturnType<typeof openFactBatch>;

interface OpenPart {
  readonly path: string;
  readonly file: FactFile;
  readonly part: number;
}

/** Opens a batch of files. They are written in a folder of their own until they are sealed. */
export function openFactBatch({ writer, store, first, day }: FactBatchOptions) {
  const { partial } = writer;
  const open = new Map<FactTableName, OpenPart>();
  const finished: { readonly table: FactTableName; readonly path: string; readonly part: number }[] = [];
  let facts = 0;

  async function openPart(table: FactTableName): Promise<OpenPart> {
    const part = finished.filter((each) => each.table === table).length;
    const path = join(partial, `${table}-${first}-${part}.parquet`);
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
    /** The number of facts. */
    get facts(): number {
      return facts;
    },
    /** Whether a file has its full size: the batch is worth sealing. */
    get isFull(): boolean {
      return finished.length > 0;
    },

    /** Adds facts of one table. A table that gets none is there, too. */
    async add(table: FactTableName, head: FactHead, rows: readonly Fact[]): Promise<void> {
      const part = open.get(table) ?? (await openPart(table));
      await part.file.add(head, rows);
      facts += rows.length;
      if (part.file.bytes >= FILE_BYTES) await finishPart(table);
    },

    /** Gives the files their names. They count when the record is written, which is returned. */
    async seal(record: ShippedStore): Promise<ShippedStore> {
      for (const table of open.keys()) await finishPart(table);
      const files = finished.map(({ path, ...place }) => ({
        path,
        place: { ...place, day, store, first, last: record.entry },
      }));
      return await writer.publish(files, record);
    },

    async [Symbol.asyncDispose](): Promise<void> {
      for (const { file } of open.values()) await file.abandon();
    },
  };
}
