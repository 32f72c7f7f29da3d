import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { runProcess } from '../cli.ts';
import { tempFile } from '../temp.ts';

const require = createRequire(import.meta.url);
const LOADED = [require.resolve('tsx'), join(import.meta.dirname, 'count-operations.ts')];
const NODE_OPTIONS = LOADED.map((path) => `--import=${pathToFileURL(path).href}`).join(' ');

type Variables = Readonly<Record<string, string>>;

/** Runs `trawl` and kills it at an operation, from 1 (count-operations.ts). */
export async function killTrawl(args: readonly string[], at: number, env: Variables = {}): Promise<void> {
  const { code, stderr } = await runProcess(args, { env: { ...env, NODE_OPTIONS, KILL_AT: String(at) } });
  expect(code, stderr).toBeNull();
}

/** Runs `trawl` to its end and returns its operations. */
export async function listOperations(args: readonly string[], env: Variables = {}): Promise<string[]> {
  const file = tempFile('operations.json');
  const { code, stderr } = await runProcess(args, { env: { ...env, NODE_OPTIONS, OPERATIONS: file } });
  expect(code, stderr).toBe(0);
  return JSON.parse(readFileSync(file, 'utf8')) as string[];
}

/**
 * Returns operations to kill at: those before and after the last one of each name that matters most, and others at equal
 * distances: a single one is in the middle.
 */
export function choosePoints(operations: readonly string[], kills: number, chosen: readonly RegExp[]): number[] {
  const points = chosen.map((pattern) => operations.findLastIndex((operation) => pattern.test(operation)) + 1);
  expect(points).not.toContain(0);
  const others = Math.max(0, kills - points.length);
  const spread = Array.from({ length: others }, (_, i) => Math.ceil(((i + 0.5) * operations.length) / others));
  return [...new Set([...points.slice(0, kills), ...spread])].toSorted((a, b) => a - b);
}
