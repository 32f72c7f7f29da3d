import { describeFailures } from './describe-failures.ts';
import { digestOf, judgeRun } from './oracle/oracle.ts';
import { checkRebuild } from './oracle/rebuilt.ts';
import { type Plan, planOf } from './plan.ts';
import { type Failure, type Run, simulate } from './run.ts';
import { shrink } from './shrink.ts';
import type { StorePool } from './stores.ts';

/** Of how many seeds one is rebuilt, which takes longer than most simulations. */
export interface PlayOptions {
  readonly rebuildEvery?: number;
}

const REBUILD_EVERY = 10;

export interface Outcome {
  readonly run: Run;
  readonly failures: readonly Failure[];
  /** Returns a digest of the store and all requests, until the next run. */
  digest(): string;
}

export async function play(
  plan: Plan,
  pool: StorePool,
  { rebuildEvery = REBUILD_EVERY }: PlayOptions = {},
): Promise<Outcome> {
  const run = await simulate(plan, pool);
  const rebuilt = plan.seed % rebuildEvery === 0 ? await checkRebuild(pool.db) : [];
  return { run, failures: [...judgeRun(run, pool.db), ...rebuilt], digest: () => digestOf(run, pool.db) };
}

/** Describes the smallest plan that breaks an invariant like a seed does. */
export async function explain(seed: number, pool: StorePool): Promise<string> {
  const invariants = new Set((await play(planOf(seed), pool)).failures.map(({ invariant }) => invariant));
  const isBad = async (plan: Plan): Promise<boolean> =>
    (await play(plan, pool)).failures.some(({ invariant }) => invariants.has(invariant));
  const smallest = await shrink(planOf(seed), isBad);
  const { run, failures } = await play(smallest, pool);
  return `seed ${seed}\n${describeFailures(run, failures)}`;
}
