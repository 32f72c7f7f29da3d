import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE, findPostgresPrograms, type PostgresServer, SUPERUSER } from '../../support/postgres-server.ts';
import { startPostgres } from '../../support/postgres.ts';
import { tempDir } from '../../support/temp.ts';

const POSTGRES_PAGE = join(import.meta.dirname, '../../../docs/ship/postgres.md');

/** Three servers with the fact tables spread over them: the first one is the coordinator. */
export type ThreeServers = readonly [coordinator: PostgresServer, ...others: PostgresServer[]];

/** Spreads fact tables over three servers by the statements of docs/ship/postgres.md. @param addTarget creates the tables */
export async function startThreeServers(addTarget: (address: string) => Promise<void>): Promise<ThreeServers> {
  const [coordinator, ...others] = await Promise.all(Array.from({ length: 3 }, () => startPostgres()));
  await addTarget(coordinator!.address);

  const run = (program: string, { port }: PostgresServer, ...args: string[]): string =>
    execFileSync(
      join(findPostgresPrograms(), program),
      ['--host=127.0.0.1', `--port=${port}`, `--username=${SUPERUSER}`, ...args, DATABASE],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    );
  const tables = join(tempDir(), 'tables.sql');
  writeFileSync(tables, run('pg_dump', coordinator!, '--schema=trawl', '--schema-only'));
  for (const server of others) run('psql', server, '--set=ON_ERROR_STOP=1', `--file=${tables}`);

  const [, section] = readFileSync(POSTGRES_PAGE, 'utf8').split('## Several servers\n');
  const [forOthers, forCoordinator] = [...section!.matchAll(/```sql\n([^]*?)```/g)].map(([, block]) => block!);
  for (const server of others) await server.ask(forOthers!);
  const statements = forCoordinator!.replaceAll(/host 'pg(\d)'/g, (_, n: string) => {
    return `host '127.0.0.1', port '${others[Number(n) - 1]!.port}'`;
  });
  await coordinator!.ask(statements);
  return [coordinator!, ...others];
}
