import type { FactTableName } from '../facts/fact-tables.ts';
import { type FactBatch, type ShippedStore, TargetUnavailableError } from '../targets/fact-target.ts';
import type { PostgresConnection } from './connect.ts';
import { copyLines, createStage, insertStage } from './copy-lines.ts';
import { createLineEncoder } from './copy-text.ts';
import { qualify, STORES_TABLE } from './fact-schema.ts';

/** A batch is committed at this number of facts; a snapshot is one batch. */
const BATCH_FACTS = 20_000;
/** Lines are sent when they have this size together. */
const FLUSH_BYTES = 4e6;

/** A connection that ships one store. */
export interface PostgresSession {
  readonly connection: PostgresConnection;
  /** Tables whose rows are on other servers, or in partitions. */
  readonly partitioned: ReadonlySet<string>;
  /** What the target has of the store, as far as this connection has read or written. */
  shipped: ShippedStore | undefined;
}

/**
 * Opens a batch: one transaction that copies facts and then records the last entry of the store. The record changes only if it is
 * as expected: it is not after another process shipped the same store, or if an interrupted transaction was committed
 * after all.
 */
export function openPostgresBatch(session: PostgresSession): FactBatch {
  const { connection, partitioned } = session;
  const { attempt, schema } = connection;
  const encoders = new Map<FactTableName, ReturnType<typeof createLineEncoder>>();
  // Bytes, since strings of this length keep the garbage collector busy.
  const lines = new Map<FactTableName, Buffer[]>();
  const staged = new Set<FactTableName>();
  let bytes = 0;
  let facts = 0;
  let isBegun = false;

  async function copy(table: FactTableName, chunks: readonly Buffer[]): Promise<void> {
    let place = qualify(schema, table);
    // COPY sends each row of a foreign partition in a message of its own; an insert of many rows sends them together.
    if (partitioned.has(table)) {
      place = await createStage(connection, table);
      staged.add(table);
    }
    await copyLines(connection, table, place, chunks);
  }

  async function flush(): Promise<void> {
    if (!isBegun) await attempt((client) => client.query('begin'));
    isBegun = true;
    for (const [table, chunks] of lines) await copy(table, chunks);
    lines.clear();
    bytes = 0;
  }

  return {
    get facts(): number {
      return facts;
    },
    get isFull(): boolean {
      return facts >= BATCH_FACTS;
    },

    async add(table, head, rows) {
      if (rows.length === 0) return;
      let encode = encoders.get(table);
      if (!encode) encoders.set(table, (encode = createLineEncoder(table)));
      const chunk = Buffer.from(encode(head, rows));
      const chunks = lines.get(table);
      if (chunks) chunks.push(chunk);
      else lines.set(table, [chunk]);
      facts += rows.length;
      bytes += chunk.length;
      if (bytes >= FLUSH_BYTES) await flush();
    },

    async seal(record) {
      await flush();
      for (const table of staged) await insertStage(connection, table);
      await recordStore(connection, record, session.shipped);
      await attempt((client) => client.query('commit'));
      isBegun = false;
      session.shipped = record;
    },

    async [Symbol.asyncDispose]() {
      // A lost connection has rolled back.
      if (isBegun) await connection.client.query('rollback').catch(() => undefined);
    },
  };
}

/** Records what the target has of the store. @throws TargetUnavailableError if that is not what it had before */
async function recordStore(
  { attempt, schema }: PostgresConnection,
  { store, entry, sealedAt, snapshots, digest }: ShippedStore,
  before: ShippedStore | undefined,
): Promise<void> {
  const table = qualify(schema, STORES_TABLE);
  const values = [store, entry, sealedAt, JSON.stringify(snapshots), digest];
  const { rowCount } = await attempt((client) =>
    before
      ? client.query(
          `update ${table} set entry = $2, sealed_at = $3, snapshots = $4, digest = $5
           where store = $1 and entry = $6 and digest is not distinct from $7`,
          [...values, before.entry, before.digest],
        )
      : client.query(
          `insert into ${table} (store, entry, sealed_at, snapshots, digest) values ($1, $2, $3, $4, $5) on conflict do nothing`,
          values,
        ),
  );
  if (rowCount === 0)
    throw new TargetUnavailableError(`another process has shipped facts of the store ${store} there meanwhile`);
}
