import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { MINUTE } from '../../clock.ts';
import { describeError, UsageError } from '../../errors.ts';
import { FACT_TABLE_NAMES } from '../facts/fact-tables.ts';
import { type TargetKind, TargetUnavailableError } from '../targets/fact-target.ts';
import { findInLake } from '../views/fact-places.ts';
import { openLakeBatch } from './lake-batch.ts';
import { createLakeContent } from './lake-content.ts';
import { RECORDS } from './lake-files.ts';
import {
  createFolderStorage,
  lockLakeStore,
  openFolderPlace,
  readLakeStore,
  readLakeStores,
  removeUnsealed,
} from './lake-folder.ts';

/** Files are sealed at this age at the latest. */
export const SEAL_AGE_MS = 15 * MINUTE;

/** A lake in a folder as a target. */
export const LAKE: TargetKind = {
  async prepare({ address: lake }) {
    try {
      mkdirSync(lake, { recursive: true, mode: 0o700 });
    } catch (cause) {
      throw new UsageError(`cannot create ${lake}: ${describeError(cause)}`, { cause });
    }
  },

  async open({ address: lake }, store) {
    const lock = lockLakeStore(lake, store);
    if (!lock) throw new TargetUnavailableError(`another process ships facts of the store ${store} to ${lake}`);
    removeUnsealed(lake, store);
    const storage = createFolderStorage(lake, store);
    return {
      sealAgeMs: SEAL_AGE_MS,
      readShipped: async () => readLakeStore(lake, store),
      openBatch: async (first, day) => openLakeBatch({ storage, store, first, day }),
      async [Symbol.asyncDispose]() {
        lock[Symbol.dispose]();
      },
    };
  },

  readStores: async ({ address }) => readLakeStores(address),

  async findFacts({ address: root }, engine) {
    if (!existsSync(join(root, RECORDS))) return undefined;
    const { list } = openFolderPlace(root);
    const tables = new Set<string>();
    // Days may be deleted, also all of a table.
    for (const table of FACT_TABLE_NAMES) if ((await list(table)).length > 0) tables.add(table);
    return findInLake(engine, { root, tables });
  },

  openContent: async ({ address }) => createLakeContent(openFolderPlace(address), readLakeStores(address)),
};
