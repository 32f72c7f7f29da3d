import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * `npm run kills -- --trials 20 --seed 1`: kills each command of trawl that writes with SIGKILL, at so many random operations,
 * and prints the kills of each, and whether anything was lost, doubled or left.
 */

const { values } = parseArgs({
  options: { trials: { type: 'string', default: '20' }, seed: { type: 'string', default: String(Date.now() % 1e6) } },
});
if (!/^[1-9]\d*$/.test(values.trials) || !/^\d+$/.test(values.seed))
  throw new Error('--trials and --seed need numbers');
const TESTS = [
  'test/kills',
  'test/e2e/kill.test.ts',
  'test/ship/kills',
  'test/ship/killed-shipping',
  'test/store/erasure/erased-stores',
];

const folder = mkdtempSync(join(tmpdir(), 'trawl-kills-'));
const log = join(folder, 'kills');
const print = (line: string): void => void process.stdout.write(`${line}\n`);
print(`seed ${values.seed}, ${values.trials} kills of each command`);
const { status } = spawnSync('npx', ['vitest', 'run', '-t', 'kill', '--reporter=dot', ...TESTS], {
  stdio: ['ignore', 'inherit', 'inherit'],
  // oxlint-disable-next-line node/no-process-env -- vitest needs the path
  env: { ...process.env, KILLS: values.trials, KILL_SEED: values.seed, KILL_LOG: log },
});
const kills = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
rmSync(folder, { recursive: true });
for (const name of new Set(kills)) print(`${String(kills.filter((one) => one === name).length).padStart(6)}  ${name}`);
print(`${kills.length} kills; ${status === 0 ? 'nothing was lost, doubled or left' : 'failures: see above'}`);
process.exitCode = status ?? 1;
