import { appendFileSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { createSeededRandom } from '#base/seeded-random.ts';
import { runProcess } from '../cli.ts';
import { tempFile } from '../temp.ts';

const require = createRequire(import.meta.url);
const LOADED = [require.resolve('tsx'), join(import.meta.dirname, 'count-operations.ts')];
const NODE_OPTIONS = LOADED.map((path) => `--import=${pathToFileURL(path).href}`).join(' ');

type Variables = Readonly<Record<string, string>>;

/** `npm run kills` sets how often each command is killed, and the seed and the log of its kills. */
// oxlint-disable-next-line node/no-process-env -- see above
const { KILLS, KILL_SEED, KILL_LOG } = process.env;

/** The seed of the operations to kill at; undefined for the same ones in each run. */
export const killSeed = KILL_SEED === undefined ? undefined : Number(KILL_SEED);

/** How often a command is killed. @param usual in a run of the tests */
export const countKills = (usual: number): number => Number(KILLS ?? usual);

/** Counts a kill for `npm run kills`. */
export function recordKill(): void {
  if (KILL_LOG !== undefined) appendFileSync(KILL_LOG, `${expect.getState().currentTestName}\n`);
}

/** Runs `trawl` and kills it at an operation, from 1 (count-operations.ts). */
export async function killTrawl(args: readonly string[], at: number, env: Variables = {}): Promise<void> {
  const { code, stderr } = await runProcess(args, { env: { ...env, NODE_OPTIONS, KILL_AT: String(at) } });
  expect(code, stderr).toBeNull();
  recordKill();
}

/** Runs `trawl` to its end and returns its operations. */
export async function listOperations(args: readonly string[], env: Variables = {}): Promise<string[]> {
  const file = tempFile('operations.json');
  const { code, stderr } = await runProcess(args, { env: { ...env, NODE_OPTIONS, OPERATIONS: file } });
  expect(code, stderr).toBe(0);
  return JSON.parse(readFileSync(file, 'utf8')) as string[];
}

/**
 * Returns operations to kill at: those before and after the last one of each name that matters most, and one of each equal
 * part of the others: with KILL_SEED at random, otherwise its middle.
 */
export function choosePoints(operations: readonly string[], kills: number, chosen: readonly RegExp[] = []): number[] {
  const random = killSeed === undefined ? undefined : createSeededRandom(killSeed, String(operations.length));
  const points = chosen.map((pattern) => operations.findLastIndex((operation) => pattern.test(operation)) + 1);
  expect(points).not.toContain(0);
  const others = Math.max(0, kills - points.length);
  const spread = Array.from(
    { length: others },
    (_, i) => Math.ceil(((i + (random?.float() ?? 0.5)) * operations.length) / others) || 1,
  );
  return [...new Set([...points.slice(0, kills), ...spread])].toSorted((a, b) => a - b);
}
