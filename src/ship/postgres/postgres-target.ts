import { SECOND } from '../../clock.ts';
import type { ShippedStore, TargetKind } from '../targets/fact-target.ts';
import { findInPostgres } from '../views/fact-places.ts';
import { connectToPostgres, type PostgresConnection } from './connect.ts';
import { createFactTables, findPartitionedTables, qualify, STORES_TABLE } from './fact-schema.ts';
import { parsePostgresAddress } from './postgres-address.ts';
import { openPostgresBatch, type PostgresSession } from './postgres-batch.ts';
import { openPostgresContent } from './postgres-content.ts';

/** A batch waits this long for more entries. */
const SEAL_AGE_MS = SECOND;

/** Fact tables in a schema of PostgreSQL. Facts and the last entry of their store are committed together. */
export const POSTGRES: TargetKind = {
  async prepare(access) {
    await using connection = await connectToPostgres(access);
    await createFactTables(connection);
  },

  async open(access, store) {
    const connection = await connectToPostgres(access);
    try {
      await createFactTables(connection);
      const partitioned = await findPartitionedTables(connection);
      const [shipped] = await readStores(connection, store);
      if (partitioned.size > 0) await deleteUnsealed(connection, partitioned, store, shipped?.entry ?? -1);
      const session: PostgresSession = { connection, partitioned, shipped };
      return {
        sealAgeMs: SEAL_AGE_MS,
        readShipped: async () => session.shipped,
        openBatch: async () => openPostgresBatch(session),
        [Symbol.asyncDispose]: connection[Symbol.asyncDispose],
      };
    } catch (error) {
      await connection[Symbol.asyncDispose]();
      throw error;
    }
  },

  async readStores(access) {
    await using connection = await connectToPostgres(access);
    return await readStores(connection);
  },

  findFacts: async ({ address }) => findInPostgres(parsePostgresAddress(address).schema),

  openContent: openPostgresContent,
};

/** Returns what the target has of a store, or of all stores. */
async function readStores({ attempt, schema }: PostgresConnection, store?: string): Promise<ShippedStore[]> {
  const { rows } = await attempt((client) =>
    client.query<{
      store: string;
      entry: string;
      sealed_at: Date;
      snapshots: ShippedStore['snapshots'];
      digest: string | null;
    }>(
      // A table of an earlier version has no digests.
      `select store, entry, sealed_at, snapshots, to_jsonb(s) ->> 'digest' as digest from ${qualify(schema, STORES_TABLE)} s
       where $1::text is null or store = $1 order by store`,
      [store],
    ),
  );
  return rows.map((row) => ({
    store: row.store,
    entry: Number(row.entry),
    sealedAt: row.sealed_at.toISOString(),
    snapshots: row.snapshots,
    digest: row.digest ?? undefined,
  }));
}

/**
 * Deletes facts after the last recorded entry. Other servers commit before the one that has the record: a failure between leaves
 * facts there.
 */
async function deleteUnsealed(
  { attempt, schema }: PostgresConnection,
  tables: ReadonlySet<string>,
  store: string,
  entry: number,
): Promise<void> {
  for (const table of tables) {
    await attempt((client) =>
      client.query(`delete from ${qualify(schema, table)} where store = $1 and entry > $2`, [store, entry]),
    );
  }
}
