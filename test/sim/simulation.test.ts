import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { planOf } from './plan.ts';
import { REGRESSIONS } from './regressions.ts';
import { play } from './seeds.ts';
import { openStorePool, type StorePool } from './stores.ts';

const MINUTES = 60_000;
const SEEDS = '200';

describe('the simulation', () => {
  let pool: StorePool;
  beforeAll(async () => {
    pool = await openStorePool();
  });
  afterAll(() => pool[Symbol.dispose]());

  test(`finds no invariant broken in ${SEEDS} seeds`, { timeout: 30 * MINUTES }, async () => {
    const child = spawn('npm', ['run', '--silent', 'sim', '--', '--seeds', SEEDS], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    const [code] = (await once(child, 'close')) as [number];
    expect(output).toContain(`${SEEDS} seeds, 0 failures`);
    expect(code).toBe(0);
  });

  test.each([3, 29, 197])('seed %i gives the same store and the same requests each time', async (seed) => {
    const { digest, run } = await play(planOf(seed), pool);
    const first = digest();
    expect((await play(planOf(seed), pool)).digest()).toBe(first);
    expect(run.log.length).toBeGreaterThan(1);
  });

  test.each([...REGRESSIONS])('seed $seed once broke $broke', async ({ plan }) => {
    expect((await play(plan, pool)).failures).toEqual([]);
  });
});
