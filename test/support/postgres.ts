import { onTestFinished } from 'vitest';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';

/** Starts a PostgreSQL server, which ends with the test. The parameters are those of {@link startPostgresServer}. */
export async function startPostgres(...args: Parameters<typeof startPostgresServer>): Promise<PostgresServer> {
  const server = await startPostgresServer(...args);
  onTestFinished(server[Symbol.asyncDispose]);
  return server;
}
