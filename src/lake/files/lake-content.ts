import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeError, TrawlError } from '#base/errors.ts';
import { removeAbandonedFiles, temporarySuffix } from '#base/temporary-files.ts';
import type { Fact, Facts, FactTableName } from '#store/outbox/fact-tables.ts';
import { createFactFile, type FactLine, formatFactLine, readFactFile } from './fact-file.ts';
import type { WorkFolder } from './lake-storage.ts';
import { factFolder, type Lake, parseFactFile } from './lake.ts';

/** Returns a changed fact; undefined for one that goes. */
export type FactChange = (table: FactTableName, fact: Fact) => Fact | undefined;

/** The facts of a file, which are read and replaced together. */
export interface FactPart {
  /** Its path. */
  readonly name: string;
  /** Its last entry. */
  readonly last: number;
  /** Returns its entries in their order. @param tables only those with facts of one of these tables */
  read(tables?: readonly FactTableName[]): AsyncIterable<FactLine>;
  /** Replaces its facts at once: readers see either the old or the new ones. @param folder the claimed one */
  replace(change: FactChange, folder: WorkFolder): Promise<void>;
}

/** The facts of a lake that count: what was sealed. */
export interface LakeContent {
  /** Claims the folder of the process that changes them; undefined if another process has it. */
  claim(): WorkFolder | undefined;
  /**
   * Returns the files of a store, or of all stores, in the order of their entries.
   * @throws TrawlError if one of them is missing
   */
  listParts(store?: string): Promise<readonly FactPart[]>;
}

/** Returns facts after a change; tables without facts go. */
export const changeFacts = (facts: Facts, change: FactChange): Facts =>
  Object.fromEntries(
    (Object.entries(facts) as [FactTableName, readonly Fact[]][]).flatMap(([table, rows]) => {
      const changed = rows.map((fact) => change(table, fact)).filter((fact) => fact !== undefined);
      return changed.length === 0 ? [] : [[table, changed]];
    }),
  );

/** Where processes of this machine rewrite files of object storage. */
const REWRITTEN = join(tmpdir(), 'trawl-purge');

/** Returns the facts of a lake. */
export async function readLakeContent(lake: Lake): Promise<LakeContent> {
  const records = await lake.readStores();

  const toPart = (path: string, store: string, last: number): FactPart => ({
    name: path,
    last,
    async *read(tables) {
      const content = await lake.read(path);
      if (!content) throw new TrawlError(`${lake.describe(path)} was deleted meanwhile`);
      try {
        yield* readFactFile(content, store, tables);
      } catch (cause) {
        throw new TrawlError(`${path} is damaged: ${describeError(cause)}`, {
          hint: 'Restore it from a backup of the lake.',
          cause,
        });
      }
    },
    async replace(change, folder) {
      const fresh = join(folder.path, 'facts.jsonl.br');
      const file = createFactFile(fresh, store);
      for await (const { entry, crawlId, facts } of this.read())
        await file.add(formatFactLine(entry, crawlId, JSON.stringify(changeFacts(facts, change))));
      await file.finish();
      await lake.move(fresh, path);
    },
  });

  return {
    claim() {
      removeAbandonedFiles(REWRITTEN);
      return lake.claim('purge', REWRITTEN + temporarySuffix(process.pid));
    },
    async listParts(only) {
      const parts: FactPart[] = [];
      for (const { store, entry, files } of records) {
        if ((only ?? store) !== store) continue;
        const found = (await lake.list(factFolder(store))).flatMap((path) => {
          const file = parseFactFile(path);
          return file && file.last <= entry ? [{ ...file, path }] : [];
        });
        if (found.length !== files) throw countError(store, files, found.length);
        const inOrder = found.toSorted((a, b) => a.first - b.first || a.part - b.part);
        parts.push(...inOrder.map(({ path, last }) => toPart(path, store, last)));
      }
      return parts;
    },
  };
}

const countError = (store: string, sealed: number, found: number): TrawlError =>
  new TrawlError(`the lake has ${found} of ${sealed} files of the store ${store}`, {
    hint: 'Restore it from a copy: without these facts, lists would look complete that are not.',
  });
