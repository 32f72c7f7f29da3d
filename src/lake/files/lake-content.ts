import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeError, TrawlError } from '#base/errors.ts';
import { removeAbandonedFiles, temporarySuffix } from '#base/temporary-files.ts';
import type { Fact, FactTableName } from '#store/outbox/fact-tables.ts';
import { createFactFile } from './fact-file.ts';
import type { WorkFolder } from './lake-storage.ts';
import { parseFactFile, type Lake } from './lake.ts';
import { readFactFile } from './read-fact-file.ts';

/** The facts of a file, which are read and replaced together. */
export interface FactPart {
  /** Its path. */
  readonly name: string;
  /** Its last entry. */
  readonly last: number;
  /** Returns its facts with their common columns, some at a time. */
  read(): AsyncIterable<readonly Fact[]>;
  /**
   * Replaces its facts at once: readers see either the old or the new ones. A change returns undefined for a fact that
   * goes. @param folder the claimed one
   */
  replace(change: (fact: Fact) => Fact | undefined, folder: WorkFolder): Promise<void>;
}

/** The facts of a lake that count: what was sealed. */
export interface LakeContent {
  /** Claims the folder of the process that changes them; undefined if another process has it. */
  claim(): WorkFolder | undefined;
  /**
   * Returns the files of a table, in the order of their entries.
   * @param store only facts of this store
   * @throws TrawlError if one of its files is missing
   */
  listParts(table: FactTableName, store?: string): Promise<readonly FactPart[]>;
}

/** Where processes of this machine rewrite files of object storage. */
const REWRITTEN = join(tmpdir(), 'trawl-purge');

/** Returns the facts of a lake. */
export async function readLakeContent(lake: Lake): Promise<LakeContent> {
  const records = new Map((await lake.readStores()).map((record) => [record.store, record]));

  const toPart = (table: FactTableName, path: string, { store, last }: { store: string; last: number }): FactPart => ({
    name: path,
    last,
    read: async function* () {
      const content = await lake.read(path);
      if (!content) throw new TrawlError(`${lake.describe(path)} was deleted meanwhile`);
      try {
        yield* readFactFile(content, table);
      } catch (cause) {
        throw new TrawlError(`${path} is damaged: ${describeError(cause)}`, {
          hint: 'Restore it from a backup of the lake.',
          cause,
        });
      }
    },
    async replace(change, folder) {
      const fresh = join(folder.path, `${table}.parquet`);
      const file = await createFactFile(fresh, table, { 'trawl.store': store });
      for await (const facts of this.read())
        await file.add(
          [],
          facts.flatMap((fact) => {
            const changed = change(fact);
            return changed ? [changed] : [];
          }),
        );
      await file.finish();
      await lake.move(fresh, path);
    },
  });

  return {
    claim() {
      removeAbandonedFiles(REWRITTEN);
      return lake.claim('purge', REWRITTEN + temporarySuffix(process.pid));
    },
    async listParts(table, only) {
      const files = (await lake.list(table)).flatMap((path) => {
        const file = parseFactFile(path);
        return file && file.last <= (records.get(file.store)?.entry ?? 0) && (only ?? file.store) === file.store
          ? [{ ...file, path }]
          : [];
      });
      const counts = only === undefined ? undefined : records.get(only)?.files;
      const sealed = counts?.[table] ?? 0;
      if (counts && files.length !== sealed) throw countError(`${table} of the store ${only}`, sealed, files.length);
      return files
        .toSorted((a, b) => a.first - b.first || a.part - b.part)
        .map((file) => toPart(table, file.path, file));
    },
  };
}

const countError = (what: string, sealed: number, found: number): TrawlError =>
  new TrawlError(`the lake has ${found} of ${sealed} files of ${what}`, {
    hint: 'Restore it from a copy: without these facts, lists would look complete that are not.',
  });
