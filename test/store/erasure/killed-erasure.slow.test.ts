import { copyFileSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import pLimit from 'p-limit';
import { expect, test } from 'vitest';
import { openConnection } from '../../../src/store/sqlite/driver.ts';
import { runCli } from '../../support/cli.ts';
import { killTrawl, listOperations } from '../../support/kills/killed-trawl.ts';
import { tempFile } from '../../support/temp.ts';
import { withStoreOfPeople } from './people.ts';
import { scanFolder } from './scan.ts';

const people = withStoreOfPeople();

const limit = pLimit(2);

function integrityOf(path: string): unknown {
  const client = openConnection(path);
  try {
    return client.pragma('integrity_check', { simple: true });
  } finally {
    client.close();
  }
}

/** `ERASURE_KILLS=16 npx vitest run test/store/erasure/killed-erasure` kills twice as often. */
const KILLS = Number(process.env['ERASURE_KILLS'] ?? 8); // oxlint-disable-line node/no-process-env -- a choice of who runs it

/** Kills at the first and the last two operations, and at some between them. */
const listPoints = (operations: number): number[] => [
  ...new Set([1, ...Array.from({ length: KILLS - 3 }, (_, i) => Math.ceil(((i + 1) * operations) / (KILLS - 2)))]),
  operations - 1,
  operations,
];

test('an erasure that is killed at any operation has not begun, or the next command that writes finishes it', async () => {
  const { restIds, handles, names, biographies, tweetIds, texts } = await people.traces();
  const store = await people.copy();
  const traces = [...restIds, ...handles, ...names, ...biographies, ...tweetIds, ...texts];
  const whole = tempFile('mine.db');
  copyFileSync(store, whole);
  const erase = (path: string): string[] => [
    'forget',
    ...restIds.map((id) => `id:${id}`),
    '--mentions',
    'redact',
    '--yes',
    '--quiet',
    '--db',
    path,
  ];
  const operations = await listOperations(erase(whole));
  expect(operations.length).toBeGreaterThan(100);
  expect(scanFolder(whole, traces)).toEqual([]);

  let finished = 0;
  const kill = async (point: number): Promise<void> => {
    const operation = `after a kill at operation ${point}: ${operations[point - 1]}`;
    const path = tempFile('mine.db');
    copyFileSync(store, path);
    await killTrawl(erase(path), point);
    // The command that comes next knows nothing of the erasure.
    const next = await runCli(['panel', 'create', 'next', '--db', path]);
    expect(next.code, `${operation}: ${next.stderr}`).toBe(0);
    const isBegun = next.stderr.includes('finishing an interrupted erasure');
    const found = scanFolder(path, traces);
    const outcome = found.length === 0 ? 'erased' : found.length > traces.length / 2 ? 'unchanged' : 'erased in part';
    const allowed = isBegun ? ['erased'] : ['erased', 'unchanged'];
    expect(allowed, operation).toContain(outcome);
    finished += Number(isBegun);
    expect(integrityOf(path)).toBe('ok');
    expect(readdirSync(dirname(path)).filter((name) => !/^mine\.db(-wal|-shm|\.tombstones)?$/.test(name))).toEqual([]);
  };
  await Promise.all(listPoints(operations.length).map((point) => limit(() => kill(point))));
  expect(finished).toBeGreaterThan(KILLS / 2);
}, 300_000);
