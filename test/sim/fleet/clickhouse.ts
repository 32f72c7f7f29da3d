import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PACKAGE_ROOT } from '../../../src/package-root.ts';
import { type ClickHouse, createClickHouseEngine, LAYOUTS } from './clickhouse-engine.ts';
import { type FleetEngine, SCHEMA } from './fleet-engine.ts';

/** The part of chdb that the tests use: ClickHouse in this process. */
interface Session {
  /** @throws Error with the message of ClickHouse */
  query(statement: string, format?: string): string;
  cleanup(): void;
}

/** Where `npm run chdb:install` puts chdb, which is too large (540 MB) for a dependency. */
const MODULE = join(PACKAGE_ROOT, '.chdb/node_modules/chdb/index.mjs');

export const hasChdb = (): boolean => existsSync(MODULE);

/** Opens ClickHouse in this process, which has one at a time. @param config a file with its configuration */
export async function openChdb(config?: string): Promise<ClickHouse> {
  const { Session: ChdbSession } = (await import(pathToFileURL(MODULE).href)) as {
    Session: new (path: string, options: { readonly connectionArgs: readonly string[] }) => Session;
  };
  const session = new ChdbSession('', { connectionArgs: config === undefined ? [] : [`--config-file=${config}`] });
  const run = async (statement: string, format?: string): Promise<string> => session.query(statement, format);
  return {
    run,
    runOnEach: async (statement) => void (await run(statement)),
    async [Symbol.asyncDispose]() {
      session.cleanup();
    },
  };
}

/** Opens ClickHouse with fact tables in memory and the views of them. */
export const openClickHouse = async (): Promise<FleetEngine> =>
  await createClickHouseEngine(await openChdb(), LAYOUTS.whole, SCHEMA);
