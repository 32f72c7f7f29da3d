import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describeError, TrawlError } from '../../errors.ts';
import type { FactTableName } from '../facts/fact-tables.ts';
import type { FactContent, FactPart } from '../targets/fact-content.ts';
import type { ShippedStore } from '../targets/fact-target.ts';
import { createFactFile } from './fact-file.ts';
import { parseFactFile } from './lake-files.ts';
import { readFactFile } from './read-fact-file.ts';

/** The files of a lake, by their paths in it: in a folder or in object storage. */
export interface LakePlace {
  /** Returns the paths of the files of a table. */
  list(table: FactTableName): Promise<readonly string[]>;
  read(path: string): Promise<Uint8Array>;
  /** Replaces a file by one of this machine, which goes. Readers see either the old or the new one. */
  replace(path: string, file: string): Promise<void>;
  /** A folder of this machine for new files, which is there while the lock is held. */
  readonly scratch: string;
  /** Takes the lock of the process that replaces files, as far as there is one; undefined if another process has it. */
  lock(): Disposable | undefined;
}

/** Returns the facts of a lake. */
export function createLakeContent(place: LakePlace, stores: readonly ShippedStore[]): FactContent {
  const sealed = new Map(stores.map(({ store, entry }) => [store, entry]));

  const toPart = (table: FactTableName, path: string, { store, last }: { store: string; last: number }): FactPart => ({
    name: path,
    last,
    read: async function* () {
      const content = await place.read(path);
      try {
        yield* readFactFile(content, table);
      } catch (cause) {
        throw new TrawlError(`${path} is damaged: ${describeError(cause)}`, {
          hint: 'Restore it from a backup of the lake.',
          cause,
        });
      }
    },
    async replace(change) {
      const fresh = join(place.scratch, `${table}.parquet`);
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
      await place.replace(path, fresh);
    },
  });

  return {
    partName: ['file', 'files'],
    lock() {
      const lock = place.lock();
      if (!lock) return undefined;
      // A killed process has left its files: they may show whom the purge removes.
      rmSync(place.scratch, { recursive: true, force: true });
      mkdirSync(place.scratch, { recursive: true, mode: 0o700 });
      return {
        [Symbol.dispose]() {
          rmSync(place.scratch, { recursive: true, force: true });
          lock[Symbol.dispose]();
        },
      };
    },
    async listParts(table, only) {
      const files = (await place.list(table)).flatMap((path) => {
        const file = parseFactFile(path);
        return file && file.last <= (sealed.get(file.store) ?? 0) && (only ?? file.store) === file.store
          ? [{ ...file, path }]
          : [];
      });
      return files
        .toSorted((a, b) => a.first - b.first || a.part - b.part)
        .map((file) => toPart(table, file.path, file));
    },
    async [Symbol.asyncDispose]() {},
  };
}
