import { fork } from 'node:child_process';
import { createResourceStack } from '../../../src/disposable-stack.ts';
import { findInstalledPostgres } from '../../support/postgres-server.ts';
import { openStorePool } from '../stores.ts';
import { openClickHouseServers } from './clickhouse-servers.ts';
import { hasChdb, openClickHouse } from './clickhouse.ts';
import { compareFleet, type FleetResult } from './compare-fleet.ts';
import { openDuckDb } from './duckdb.ts';
import type { FleetEngine } from './fleet-engine.ts';
import { openPostgres } from './postgres.ts';

export interface FleetRun {
  readonly from: number;
  readonly seeds: number;
  /** The difference between two seeds of a process. */
  readonly step: number;
  /** The addresses of the servers of a cluster of ClickHouse, with commas between them. */
  readonly clickhouse: string | undefined;
}

const MAX_DESCRIPTIONS = 10;

/** Compares the views of some seeds in this process. */
export async function compareSeeds({ from, seeds, step, clickhouse }: FleetRun): Promise<FleetResult> {
  using pool = await openStorePool();
  await using opened = createResourceStack();
  const engines: FleetEngine[] = [];
  for (const open of listEngines(clickhouse)) engines.push(opened.use(await open()));
  const numbers = Array.from({ length: Math.ceil(seeds / step) }, (_, i) => from + i * step);
  return await compareFleet(numbers, pool, engines);
}

/** Returns what opens each engine: DuckDB, and PostgreSQL and ClickHouse if they are installed; or only a cluster of ClickHouse. */
function listEngines(clickhouse: string | undefined): (() => Promise<FleetEngine>)[] {
  if (clickhouse !== undefined) return [() => openClickHouseServers(clickhouse.split(','))];
  return [
    () => openDuckDb(),
    ...(findInstalledPostgres() === undefined ? [] : [() => openPostgres()]),
    ...(hasChdb() ? [openClickHouse] : []),
  ];
}

/** Compares the views of seeds in several processes. @param program the program of this process */
export async function forkFleet(
  program: string,
  { from, seeds, clickhouse }: FleetRun,
  workers: number,
): Promise<FleetResult[]> {
  return await Promise.all(
    Array.from({ length: workers }, async (_, i) => {
      const args = ['--fleet', '--from', String(from + i), '--seeds', String(seeds - i), '--step', String(workers)];
      const child = fork(program, [...args, ...(clickhouse === undefined ? [] : ['--clickhouse', clickhouse])]);
      let result: FleetResult | undefined;
      child.on('message', (message) => {
        result = message as FleetResult;
      });
      const code = await new Promise((resolve) => child.on('exit', resolve));
      if (!result) throw new Error(`a worker ended with code ${String(code)}`);
      return result;
    }),
  );
}

/** Returns what a comparison found, as text. */
export function describeFleet(results: readonly FleetResult[], seconds: number): string {
  const sum = (of: (result: FleetResult) => number): number => results.reduce((total, result) => total + of(result), 0);
  const differences = results.flatMap((result) => result.differences);
  const views = Object.keys(results[0]?.rows ?? {}).map((view) => `${view} ${sum(({ rows }) => rows[view] ?? 0)}`);
  return [
    ...differences
      .toSorted((a, b) => a.seed - b.seed)
      .slice(0, MAX_DESCRIPTIONS)
      .map(({ seed, engine, view, side, row }) => `seed ${seed}, ${engine}, ${view}, only in the ${side}: ${row}`),
    `${sum(({ facts }) => facts)} facts dealt to three stores, compared with one store by ${results[0]?.engines.join(' and ')}, in ${seconds.toFixed(1)} s`,
    `rows: ${views.join(', ')}`,
    `${sum(({ left }) => left)} accounts and tweets were left out of histories: a late page has divided a period`,
    `${sum(({ seeds }) => seeds)} seeds, ${differences.length} differences`,
    ...(differences.length === 0
      ? []
      : [
          `seeds with differences: ${[...new Set(differences.map(({ seed }) => seed))].toSorted((a, b) => a - b).join(', ')}`,
        ]),
  ].join('\n');
}
