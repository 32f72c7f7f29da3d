import { TargetUnavailableError, TrawlError } from '#base/errors.ts';
import type { LakeStorage } from './lake-storage.ts';

/** What a lake has of a store. */
export interface ShippedStore {
  readonly store: string;
  /** The last entry that it has. */
  readonly entry: number;
  readonly sealedAt: string;
  /** While it is shipped: entries up to this time are there. */
  readonly until?: string | undefined;
  /** The snapshots that shipping began with. What happened before is known only as far as their rows show it. */
  readonly snapshots: readonly { readonly entry: number; readonly takenAt: string }[];
  /** The digest of the last entry: another history of the store has another one. */
  readonly digest: string;
  /** The number of its files. */
  readonly files: number;
  /** The entries with facts about forgotten accounts. */
  readonly erasures: readonly number[];
  /** The last entry with such facts of each store whose erasures it has applied. */
  readonly applied?: Readonly<Record<string, number>> | undefined;
}

/** A complete file that has no name in the lake yet. */
export interface FinishedFile {
  readonly path: string;
  readonly place: FactFilePlace;
}

/** A lake, open for the files of one store. */
export interface LakeWriter extends Disposable {
  /** The folder of this machine in which files are written. */
  readonly partial: string;
  /** Gives files their names, and then writes the record of the store, from which on they count. Returns it with their number. */
  publish(files: readonly FinishedFile[], record: ShippedStore): Promise<ShippedStore>;
}

/** The folder of the records of stores. */
const RECORDS = '_stores';

const recordPath = (store: string): string => `${RECORDS}/${store}.json`;

/** Files of facts, and a record of each store. */
export type Lake = ReturnType<typeof createLake>;

/** Creates a lake of the files in a storage. */
export function createLake(storage: LakeStorage) {
  /** Returns the record at a path; undefined if there is none. @throws TrawlError if it is damaged */
  async function readRecord(path: string): Promise<ShippedStore | undefined> {
    const content = await storage.read(path);
    if (!content) return undefined;
    try {
      return JSON.parse(Buffer.from(content).toString()) as ShippedStore;
    } catch (cause) {
      throw new TrawlError(`cannot read ${storage.describe(path)}`, {
        hint: 'Restore it from a backup of the lake.',
        cause,
      });
    }
  }

  /** Deletes what a killed process left of a store: files beyond its last sealed entry. */
  async function removeUnsealed(store: string): Promise<void> {
    const sealed = (await readRecord(recordPath(store)))?.entry ?? 0;
    const paths = await storage.list(factFolder(store));
    const isUnsealed = (path: string): boolean => (parseFactFile(path)?.last ?? 0) > sealed;
    await Promise.all(paths.filter(isUnsealed).map((path) => storage.remove(path)));
  }

  async function publish(files: readonly FinishedFile[], before: ShippedStore): Promise<ShippedStore> {
    // Of moves that fail, none goes on beside the next attempt.
    const moves = await Promise.allSettled(files.map(({ path, place }) => storage.move(path, factFilePath(place))));
    for (const move of moves) if (move.status === 'rejected') throw move.reason;
    const record = { ...before, files: before.files + files.length };
    await storage.write(recordPath(record.store), `${JSON.stringify(record, null, 2)}\n`);
    return record;
  }

  return {
    ...storage,
    /**
     * Opens it for the files of a store.
     * @param scratch a folder beside the store, for files that are not in the lake yet
     * @throws TargetUnavailableError while another process writes the files of the store
     */
    async openWriter(store: string, scratch: string): Promise<LakeWriter> {
      const folder = storage.claim(store, scratch);
      if (!folder) throw new TargetUnavailableError(`another process ships facts of the store ${store} there`);
      try {
        await removeUnsealed(store);
      } catch (error) {
        folder[Symbol.dispose]();
        throw error;
      }
      return { partial: folder.path, publish, [Symbol.dispose]: () => folder[Symbol.dispose]() };
    },
    /** Returns what it has of a store; undefined if it has nothing. @throws TrawlError if the record is damaged */
    readStore: (store: string) => readRecord(recordPath(store)),
    /** Returns what it has of all stores, sorted by their ids. */
    async readStores(): Promise<ShippedStore[]> {
      const paths = (await storage.list(RECORDS)).filter((path) => path.endsWith('.json'));
      const records = await Promise.all(paths.toSorted().map(readRecord));
      return records.filter((record) => record !== undefined);
    },
  };
}

/**
 * The files of a lake, relative to its place: `facts/<store>/<first entry>-<last entry>-<part>.jsonl.br`, or `…-all-<count>.jsonl.br`
 * for one that replaces so many, which may still be there. For each store, `_stores/<store>.json` has the last entry that is
 * sealed: files beyond it are of a process that was killed.
 */
export const factFolder = (store: string): string => `facts/${store}`;

const NAME = /\/(\d{15})-(\d{15})-(?:(\d+)|all-(\d+))\.jsonl\.br$/;

const pad = (entry: number): string => String(entry).padStart(15, '0');

/** The place of a file. */
export interface FactFilePlace {
  readonly store: string;
  readonly first: number;
  readonly last: number;
  /** Its number among those with the same entries. */
  readonly part: number;
  /** The number of files that it replaces; 0 for one that was shipped. */
  readonly replaces: number;
}

export const factFilePath = ({ store, first, last, part, replaces }: FactFilePlace): string =>
  `${factFolder(store)}/${pad(first)}-${pad(last)}-${replaces > 0 ? `all-${replaces}` : part}.jsonl.br`;

/** Returns which entries a file has; undefined for other files. */
export function parseFactFile(path: string): Omit<FactFilePlace, 'store'> | undefined {
  const [, first, last, part = 0, replaces = 0] = NAME.exec(path) ?? [];
  if (first === undefined) return undefined;
  return { first: Number(first), last: Number(last), part: Number(part), replaces: Number(replaces) };
}
