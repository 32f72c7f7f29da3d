import { join } from 'node:path';
import { createFactFile, type FactFile } from './fact-file.ts';
import type { LakeWriter, ShippedStore } from './lake.ts';

/** A file is completed at this size. It is in memory while it is read. */
export const FILE_BYTES = 32e6;

export interface FactBatchOptions {
  readonly writer: LakeWriter;
  readonly store: string;
  /** The first entry. */
  readonly first: number;
  /** Returns facts, as JSON by table, without what must not be shipped. */
  readonly erase: (facts: string) => string;
}

/** Facts of a range of entries, which appear in the lake together. Disposal abandons what is not sealed. */
export type FactBatch = ReturnType<typeof openFactBatch>;

/** Opens a batch of files: usually one. They are written in a folder of their own until they are sealed. */
export function openFactBatch({ writer, store, first, erase }: FactBatchOptions) {
  const finished: string[] = [];
  const erasures: number[] = [];
  let open: { readonly path: string; readonly file: FactFile } | undefined;

  function openFile(): NonNullable<typeof open> {
    const path = join(writer.partial, `${first}-${finished.length}.jsonl.br`);
    return { path, file: createFactFile(path, store) };
  }

  async function finishFile({ path, file }: NonNullable<typeof open>): Promise<void> {
    await file.finish();
    open = undefined;
    finished.push(path);
  }

  return {
    /** Whether a file has its full size: the batch is worth sealing. */
    get isFull(): boolean {
      return finished.length > 0;
    },

    /** Adds facts of an entry. @param facts by table, as JSON */
    async add(entry: number, crawlId: number | null, facts: string): Promise<void> {
      open ??= openFile();
      await open.file.add(entry, crawlId, erase(facts));
      if (facts.includes('"erasures":') && erasures.at(-1) !== entry) erasures.push(entry);
      if (open.file.bytes >= FILE_BYTES) await finishFile(open);
    },

    /** Gives the files their names. They count when the record is written, which is returned. */
    async seal(record: ShippedStore): Promise<ShippedStore> {
      if (open) await finishFile(open);
      const files = finished.map((path, part) => ({
        path,
        place: { store, first, last: record.entry, part, replaces: 0 },
      }));
      return await writer.publish(files, { ...record, erasures: [...record.erasures, ...erasures] });
    },

    async [Symbol.asyncDispose](): Promise<void> {
      await open?.file[Symbol.asyncDispose]();
    },
  };
}
