import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { KIND_NAMES } from '../../src/kinds/kinds.ts';
import { crashAt, pairsOf, pointsOf, findSubject } from './crash-points.ts';
import { hunt } from './mutants/hunt.ts';
import { planOf } from './plan.ts';
import { explain, play } from './seeds.ts';
import { openStorePool } from './stores.ts';

/**
 * `npm run sim -- --seeds 500 [--from 1] [--workers 2]`: simulations of so many seeds. Ends with `500 seeds, 0 failures`, or
 * with exit code 1 and the story of the first failures. `--seed 7` tells all of one; `--mutants` tries the simulation itself;
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

interface Tally {
  seeds: number;
  requests: number;
  events: number;
  kills: number;
  faults: number;
  hours: number;
  failed: { readonly seed: number; readonly invariants: string }[];
}

const STORIES = 3;
/** A run of more seeds counts as long. */
const MANY_SEEDS = 2000;
const rebuildEvery = Number(values['rebuild-every'] ?? (Number(values.seeds) > MANY_SEEDS ? 100 : 10));
/** Forms of responses that one seed in twenty has, in a combination that matters, need so many. */
const MUTANT_SEEDS = 1500;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function simulateSeeds(from: number, until: number, step: number): Promise<Tally> {
  using pool = await openStorePool();
  const tally: Tally = { seeds: 0, requests: 0, events: 0, kills: 0, faults: 0, hours: 0, failed: [] };
  for (let seed = from; seed < until; seed += step) {
    const { run, failures } = await play(planOf(seed), pool, { rebuildEvery });
    tally.seeds += 1;
    tally.requests += run.log.length;
    tally.events += run.events;
    tally.kills += run.kills;
    tally.faults += run.log.filter(({ fault }) => fault).length;
    tally.hours += run.durationMs / 3_600_000;
    if (failures.length === 0) continue;
    tally.failed.push({ seed, invariants: [...new Set(failures.map(({ invariant }) => invariant))].join(', ') });
    if (values.first) break;
    say(
      tally.failed.length <= STORIES ? await explain(seed, pool) : `seed ${seed}: ${tally.failed.at(-1)!.invariants}`,
    );
  }
  return tally;
}

async function share(from: number, until: number, workers: number): Promise<Tally> {
  const parts = await Promise.all(
    Array.from({ length: workers }, async (_, i) => {
      const args = [
        ...['--from', String(from + i), '--seeds', String(until - from - i), '--step', String(workers)],
        ...['--rebuild-every', String(rebuildEvery)],
      ];
      const child = fork(fileURLToPath(import.meta.url), [...args, ...(values.first ? ['--first'] : [])]);
      let tally: Tally | undefined;
      child.on('message', (message) => {
        tally = message as Tally;
      });
      const code = await new Promise((resolve) => child.on('exit', resolve));
      if (!tally) throw new Error(`a worker ended with code ${String(code)}`);
      return tally;
    }),
  );
  return parts.reduce((sum, part) => ({
    seeds: sum.seeds + part.seeds,
    requests: sum.requests + part.requests,
    events: sum.events + part.events,
    kills: sum.kills + part.kills,
    faults: sum.faults + part.faults,
    hours: sum.hours + part.hours,
    failed: [...sum.failed, ...part.failed].toSorted((a, b) => a.seed - b.seed),
  }));
}

async function huntMutants(workers: number): Promise<void> {
  const all = await hunt({
    ...{ seeds: MUTANT_SEEDS, workers, only: values.only },
    onCaught: ({ mutant, seed, invariants }) =>
      say(seed === undefined ? `NOT FOUND: ${mutant.name}` : `seed ${seed}, ${invariants}: ${mutant.name}`),
  });
  const found = all.filter(({ seed }) => seed !== undefined).length;
  say(`${found} of ${all.length} mutants found`);
  process.exitCode = found === all.length ? 0 : 1;
}

async function crashEverywhere(): Promise<void> {
  using pool = await openStorePool();
  let failed = 0;
  for (const kind of KIND_NAMES) {
    const subject = await findSubject(kind, pool);
    const all = values.pairs ? pairsOf(subject) : pointsOf(subject).map((point) => [point]);
    for (const points of all) {
      const failures = await crashAt(subject, points, pool);
      if (failures.length === 0) continue;
      failed += 1;
      say(
        `${kind} at ${JSON.stringify(points)}: ${failures.map(({ invariant, message }) => `${invariant}: ${message}`).join('; ')}`,
      );
    }
    say(`${kind}: ${subject.pages} pages, ${all.length} ${values.pairs ? 'pairs of points' : 'points'}`);
  }
  say(`${failed} failures`);
  process.exitCode = failed > 0 ? 1 : 0;
}

async function main(): Promise<void> {
  if (values['crash-points'] || values.pairs) return await crashEverywhere();
  const most = availableParallelism();
  if (values.mutants) return await huntMutants(Number(values.workers ?? most));
  if (values.seed !== undefined) {
    using pool = await openStorePool();
    const { failures, digest, run } = await play(planOf(Number(values.seed)), pool);
    say(
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
  const workers = Number(values.workers ?? (isChild ? 1 : most));
  const begun = performance.now();
  const tally = workers > 1 ? await share(from, until, workers) : await simulateSeeds(from, until, Number(values.step));
  if (isChild) {
    process.send!(tally);
    return process.disconnect();
  }
  const { seeds, requests, events, kills, faults, hours, failed } = tally;
  const seconds = (performance.now() - begun) / 1000;
  say(
    `${requests} requests, ${faults} of them met a fault, ${kills} kills, ${events} events, ${Math.round(hours)} virtual hours, in ${seconds.toFixed(1)} s`,
  );
  say(`${seeds} seeds, ${failed.length} failures`);
  if (failed.length > 0) say(`failed: ${failed.map(({ seed, invariants }) => `${seed} (${invariants})`).join(', ')}`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}

await main();
