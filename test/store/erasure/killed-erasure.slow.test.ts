import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openConnection } from '../../../src/store/sqlite/driver.ts';
import { runCli } from '../../support/cli.ts';
import { tempFile } from '../../support/temp.ts';
import { withStoreOfPeople } from './people.ts';
import { scanFolder } from './scan.ts';

const people = withStoreOfPeople();

function runErasure(path: string, restIds: readonly string[], killedAt?: number) {
  const args = [path, JSON.stringify(restIds), 'redact', ...(killedAt === undefined ? [] : [String(killedAt)])];
  return spawnSync(process.execPath, ['--import=tsx', join(import.meta.dirname, 'killed-erasure.ts'), ...args], {
    encoding: 'utf8',
  });
}

function integrityOf(path: string): unknown {
  const client = openConnection(path);
  try {
    return client.pragma('integrity_check', { simple: true });
  } finally {
    client.close();
  }
}

/** Kills at the first and the last statements, and at some between them. */
const listPoints = (statements: number): number[] => [
  ...new Set([1, 2, 3, 4, 5, ...Array.from({ length: 8 }, (_, i) => Math.ceil(((i + 1) * statements) / 9))]),
  ...[2, 1, 0].map((fromEnd) => statements - fromEnd),
];

test('an erasure that is killed at any statement has not begun, or the next command that writes finishes it', async () => {
  const { restIds, handles, names, biographies, tweetIds, texts } = await people.traces();
  const store = await people.copy();
  const traces = [...restIds, ...handles, ...names, ...biographies, ...tweetIds, ...texts];
  const whole = tempFile('mine.db');
  copyFileSync(store, whole);
  const { stdout, stderr } = runErasure(whole, restIds);
  const statements = Number(stdout);
  expect(statements, stderr).toBeGreaterThan(50);
  expect(scanFolder(whole, traces)).toEqual([]);

  let finished = 0;
  for (const point of listPoints(statements)) {
    const path = tempFile('mine.db');
    copyFileSync(store, path);
    const killed = runErasure(path, restIds, point);
    expect([point, killed.signal, killed.stderr]).toEqual([point, 'SIGKILL', '']);
    // The command that comes next knows nothing of the erasure.
    const next = await runCli(['panel', 'create', 'next', '--db', path]);
    expect(next.code, `after a kill at statement ${point}: ${next.stderr}`).toBe(0);
    const isBegun = next.stderr.includes('finishing an interrupted erasure');
    const found = scanFolder(path, traces);
    const outcome = found.length === 0 ? 'erased' : found.length > traces.length / 2 ? 'unchanged' : 'erased in part';
    const allowed = isBegun ? ['erased'] : ['erased', 'unchanged'];
    expect(allowed, `statement ${point}`).toContain(outcome);
    finished += Number(isBegun);
    expect(integrityOf(path)).toBe('ok');
    expect(readdirSync(dirname(path)).filter((name) => !/^mine\.db(-wal|-shm|\.tombstones)?$/.test(name))).toEqual([]);
  }
  expect(finished).toBeGreaterThan(8);
}, 300_000);
