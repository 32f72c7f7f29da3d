import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { KIND_NAMES } from '#service/kinds/kinds.ts';
import { crashAt, pairsOf, pointsOf, findSubject } from './crash-points.ts';
import { hunt } from './mutants/hunt.ts';
import { planOf } from './plan.ts';
import { explain, play } from './seeds.ts';
import { openStorePool } from './stores.ts';

/**
 * `npm run sim -- --seeds 500 [--from 1] [--workers 2]` runs this many simulations. Prints `500 seeds, 0 failures`, or describes
 * the first failures and exits with 1. `--seed 7` describes one simulation; `--mutants` tests the simulation itself;
 * `--crash-points [--pairs]` kills a crawl of each kind at every point.
 */

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '500' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    workers: { type: 'string' },
    /** One of this many seeds is rebuilt: by default 10, in long runs 100. */
    'rebuild-every': { type: 'string' },
    /** Step between the seeds of a worker. */
    step: { type: 'string', default: '1' },
    /** Runs planted bugs: all must be found. */
    mutants: { type: 'boolean', default: false },
    /** Only mutants whose name contains this text. */
    only: { type: 'string' },
    /** Kills a crawl of each kind at every point, or every pair of points. */
    'crash-points': { type: 'boolean', default: false },
    pairs: { type: 'boolean', default: false },
    /** Stops at the first failure without a description. */
    first: { type: 'boolean', default: false },
  },
});

const COUNTS = ['seeds', 'requests', 'events', 'kills', 'faults', 'hours'] as const;
interface Totals extends Record<(typeof COUNTS)[number], number> {
  failed: { readonly seed: number; readonly invariants: string }[];
}

const MAX_DESCRIPTIONS = 3;
/** A run of more seeds counts as long. */
const MANY_SEEDS = 2000;
const rebuildEvery = Number(values['rebuild-every'] ?? (Number(values.seeds) > MANY_SEEDS ? 100 : 10));
/** Relevant combinations of response forms are rare, so they need many seeds. */
const MUTANT_SEEDS = 1500;
const print = (text: string): void => void process.stdout.write(`${text}\n`);

const createTotals = (): Totals => ({ seeds: 0, requests: 0, events: 0, kills: 0, faults: 0, hours: 0, failed: [] });

async function simulateSeeds(from: number, until: number, step: number): Promise<Totals> {
  using pool = await openStorePool();
  const totals = createTotals();
  for (let seed = from; seed < until; seed += step) {
    const { run, failures } = await play(planOf(seed), pool, { rebuildEvery });
    totals.seeds += 1;
    totals.requests += run.log.length;
    totals.events += run.events;
    totals.kills += run.kills;
    totals.faults += run.log.filter(({ fault }) => fault).length;
    totals.hours += run.durationMs / 3_600_000;
    if (failures.length === 0) continue;
    totals.failed.push({ seed, invariants: [...new Set(failures.map(({ invariant }) => invariant))].join(', ') });
    if (values.first) break;
    print(
      totals.failed.length <= MAX_DESCRIPTIONS
        ? await explain(seed, pool)
        : `seed ${seed}: ${totals.failed.at(-1)!.invariants}`,
    );
  }
  return totals;
}

async function forkWorkers(from: number, until: number, workers: number): Promise<Totals> {
  const parts = await Promise.all(
    Array.from({ length: workers }, async (_, i) => {
      const args = [
        '--from',
        String(from + i),
        '--seeds',
        String(until - from - i),
        '--step',
        String(workers),
        '--rebuild-every',
        String(rebuildEvery),
      ];
      const child = fork(fileURLToPath(import.meta.url), [...args, ...(values.first ? ['--first'] : [])]);
      let totals: Totals | undefined;
      child.on('message', (message) => {
        totals = message as Totals;
      });
      const code = await new Promise((resolve) => child.on('exit', resolve));
      if (!totals) throw new Error(`a worker ended with code ${String(code)}`);
      return totals;
    }),
  );
  const totals = createTotals();
  for (const part of parts) {
    for (const name of COUNTS) totals[name] += part[name];
    totals.failed.push(...part.failed);
  }
  totals.failed.sort((a, b) => a.seed - b.seed);
  return totals;
}

async function huntMutants(workers: number): Promise<void> {
  const all = await hunt({
    seeds: MUTANT_SEEDS,
    workers,
    only: values.only,
    onCaught: ({ mutant, seed, invariants }) =>
      print(seed === undefined ? `NOT FOUND: ${mutant.name}` : `seed ${seed}, ${invariants}: ${mutant.name}`),
  });
  const found = all.filter(({ seed }) => seed !== undefined).length;
  print(`${found} of ${all.length} mutants found`);
  process.exitCode = found === all.length ? 0 : 1;
}

async function testCrashPoints(): Promise<void> {
  using pool = await openStorePool();
  let failed = 0;
  for (const kind of KIND_NAMES) {
    const subject = await findSubject(kind, pool);
    const all = values.pairs ? pairsOf(subject) : pointsOf(subject).map((point) => [point]);
    for (const points of all) {
      const failures = await crashAt(subject, points, pool);
      if (failures.length === 0) continue;
      failed += 1;
      print(
        `${kind} at ${JSON.stringify(points)}: ${failures.map(({ invariant, message }) => `${invariant}: ${message}`).join('; ')}`,
      );
    }
    print(`${kind}: ${subject.pages} pages, ${all.length} ${values.pairs ? 'pairs of points' : 'points'}`);
  }
  print(`${failed} failures`);
  process.exitCode = failed > 0 ? 1 : 0;
}

async function main(): Promise<void> {
  if (values['crash-points'] || values.pairs) return await testCrashPoints();
  const cores = availableParallelism();
  if (values.mutants) return await huntMutants(Number(values.workers ?? cores));
  if (values.seed !== undefined) {
    using pool = await openStorePool();
    const { failures, digest, run } = await play(planOf(Number(values.seed)), pool);
    print(
      failures.length > 0
        ? await explain(Number(values.seed), pool)
        : `seed ${values.seed}: ${run.log.length} requests, no failure, digest ${digest()}`,
    );
    process.exitCode = failures.length > 0 ? 1 : 0;
    return;
  }
  const from = Number(values.from);
  const until = from + Number(values.seeds);
  const isChild = process.send !== undefined;
  const workers = Number(values.workers ?? (isChild ? 1 : cores));
  const startedAt = performance.now();
  const totals =
    workers > 1 ? await forkWorkers(from, until, workers) : await simulateSeeds(from, until, Number(values.step));
  if (isChild) {
    process.send!(totals);
    return process.disconnect();
  }
  const { seeds, requests, events, kills, faults, hours, failed } = totals;
  const seconds = (performance.now() - startedAt) / 1000;
  print(
    `${requests} requests, ${faults} of them with a fault, ${kills} kills, ${events} events, ${Math.round(hours)} virtual hours, in ${seconds.toFixed(1)} s`,
  );
  print(`${seeds} seeds, ${failed.length} failures`);
  if (failed.length > 0) print(`failed: ${failed.map(({ seed, invariants }) => `${seed} (${invariants})`).join(', ')}`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}

await main();
