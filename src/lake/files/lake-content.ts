import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeError, TrawlError } from '#base/errors.ts';
import { removeAbandonedFiles, temporarySuffix } from '#base/temporary-files.ts';
import type { Fact, Facts, FactTableName } from '#store/outbox/fact-tables.ts';
import { createFactFile, type FactLine, readFactFile } from './fact-file.ts';
import type { WorkFolder } from './lake-storage.ts';
import { type FactFilePlace, factFolder, type Lake, parseFactFile, type ShippedStore } from './lake.ts';

/** Returns a changed fact; undefined for one that goes. */
export type FactChange = (table: FactTableName, fact: Fact) => Fact | undefined;

/** The facts of a file, which are read and replaced together. */
export interface FactPart extends FactFilePlace {
  /** Its path. */
  readonly name: string;
  /** It has facts about forgotten accounts. */
  readonly hasErasures: boolean;
  /** Returns its entries in their order. @param tables only those with facts of one of these tables */
  read(tables?: readonly FactTableName[]): AsyncIterable<FactLine>;
  /** Replaces its facts at once: readers see either the old or the new ones. @param folder the claimed one */
  replace(change: FactChange, folder: WorkFolder): Promise<void>;
}

/** The facts of a lake that count: what was sealed. */
export interface LakeContent {
  /** What it has of all stores, sorted by their ids. */
  readonly stores: readonly ShippedStore[];
  /** Claims the folder of the process that changes them; undefined if another process has it. */
  claim(): WorkFolder | undefined;
  /**
   * Returns the files of a store, or of all stores, in the order of their entries.
   * @throws TrawlError if one of them is missing
   */
  listParts(store?: string): Promise<readonly FactPart[]>;
  /** Deletes files that others have replaced. */
  removeReplaced(): Promise<void>;
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
  const stores = await lake.readStores();

  const toPart = ({ path, ...place }: FoundFile, { erasures }: ShippedStore): FactPart => ({
    name: path,
    ...place,
    hasErasures: erasures.some((entry) => place.first <= entry && entry <= place.last),
    async *read(tables) {
      const content = await lake.read(path);
      if (!content) throw new TrawlError(`${lake.describe(path)} was deleted meanwhile`);
      try {
        yield* readFactFile(content, place.store, tables);
      } catch (cause) {
        throw new TrawlError(`${path} is damaged: ${describeError(cause)}`, {
          hint: 'Restore it from a backup of the lake.',
          cause,
        });
      }
    },
    async replace(change, folder) {
      const fresh = join(folder.path, 'facts.jsonl.br');
      await using file = createFactFile(fresh, place.store);
      for await (const { entry, crawlId, facts } of this.read())
        await file.add(entry, crawlId, JSON.stringify(changeFacts(facts, change)));
      await file.finish();
      await lake.move(fresh, path);
    },
  });

  /** Returns the files of a store up to its last sealed entry: those that count, and those that combined ones have replaced. */
  async function findFiles({ store, entry }: ShippedStore) {
    const paths = await lake.list(factFolder(store));
    const files = paths.flatMap((path): FoundFile[] => {
      const place = parseFactFile(path);
      return place && place.last <= entry ? [{ ...place, store, path }] : [];
    });
    const combined = files.filter(({ replaces }) => replaces > 0);
    const isReplaced = ({ first, last, replaces }: FoundFile): boolean =>
      combined.some((other) => other.replaces > replaces && other.first <= first && other.last >= last);
    return { current: files.filter((file) => !isReplaced(file)), replaced: files.filter(isReplaced) };
  }

  return {
    stores,
    claim() {
      removeAbandonedFiles(REWRITTEN);
      return lake.claim('purge', REWRITTEN + temporarySuffix(process.pid));
    },
    async listParts(only) {
      const parts: FactPart[] = [];
      for (const record of stores) {
        if ((only ?? record.store) !== record.store) continue;
        const { current } = await findFiles(record);
        const inOrder = current.toSorted((a, b) => a.first - b.first || a.part - b.part);
        const found = current.reduce((sum, { replaces }) => sum + Math.max(1, replaces), 0);
        if (found !== record.files) throw missingError(record, found, inOrder);
        parts.push(...inOrder.map((file) => toPart(file, record)));
      }
      return parts;
    },
    async removeReplaced() {
      for (const record of stores) for (const { path } of (await findFiles(record)).replaced) await lake.remove(path);
    },
  };
}

interface FoundFile extends FactFilePlace {
  readonly path: string;
}

/** @param inOrder the files that are there */
function missingError(
  { store, files, snapshots }: ShippedStore,
  found: number,
  inOrder: readonly FoundFile[],
): TrawlError {
  const gap = inOrder.findIndex(
    ({ first }, i) => i > 0 && first > inOrder[i - 1]!.last + 1 && !snapshots.some(({ entry }) => entry === first),
  );
  const where = gap < 0 ? '' : `: entries ${inOrder[gap - 1]!.last + 1} to ${inOrder[gap]!.first - 1} are missing`;
  return new TrawlError(`the lake has ${found} of ${files} files of the store ${store}${where}`, {
    hint: 'Restore it from a copy: without these facts, lists would look complete that are not.',
  });
}
