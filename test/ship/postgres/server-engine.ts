import { tmpdir } from 'node:os';
import { Client } from 'pg';
import { FACT_TABLE_NAMES } from '../../../src/ship/facts/fact-tables.ts';
import { POSTGRES } from '../../../src/ship/postgres/postgres-target.ts';
import { createTables } from '../../../src/ship/views/create-tables.ts';
import { createViews } from '../../../src/ship/views/create-views.ts';
import { findInPostgres } from '../../../src/ship/views/fact-places.ts';
import type { FleetEngine } from '../../sim/fleet/fleet-engine.ts';
import type { PostgresServer } from '../../support/postgres-server.ts';

/** Runs statements in one session, each by itself as psql does. */
export async function runStatements({ address }: PostgresServer, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: address });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

const PLACE = findInPostgres('trawl');

/**
 * The fact tables and views of a server as an engine of the fleet comparison. Facts arrive as `trawl ship` writes them.
 * @param hasTables whether tables are created from all facts that are loaded, and read instead of the views
 */
export async function openServerEngine(server: PostgresServer, hasTables = false): Promise<FleetEngine> {
  await server.ask(createViews('postgres', PLACE).join(';\n'));
  const schema = hasTables ? 'trawl_tables' : 'trawl_views';
  const store = 'fleet';
  let entry = 0;
  return {
    engine: 'postgres',
    async load(facts) {
      await using target = await POSTGRES.open({ address: server.address, variables: {} }, store, tmpdir());
      await using batch = await target.openBatch(1, '2026-01-01');
      for (const { table, values } of facts) {
        const [from, number, crawlId, ...columns] = values;
        await batch.add(table, [from as string, number as number, crawlId as number | null], [columns]);
      }
      entry += 1;
      await batch.seal({ store, entry, sealedAt: new Date().toISOString(), snapshots: [] });
      if (hasTables) await runStatements(server, createTables('postgres', PLACE));
    },
    async read(view, columns) {
      const rows = await server.ask(
        `set search_path = ${schema}; set jit = off; select json_build_array(${columns.join(', ')}) from ${view}`,
      );
      return rows.map(([row]) => row as unknown[]);
    },
    async clear() {
      await server.ask(`truncate ${FACT_TABLE_NAMES.map((table) => `trawl.${table}`).join(', ')}`);
    },
    async [Symbol.asyncDispose]() {},
  };
}
