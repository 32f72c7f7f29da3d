import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import pLimit from 'p-limit';
import { describe, expect, test } from 'vitest';
import { integrityOf, valueOf } from '../../e2e/support.ts';
import { runCli, runSuccessfully } from '../../support/cli.ts';
import { countKills, killTrawl, listOperations } from '../../support/kills/killed-trawl.ts';
import { people } from './people.ts';
import { scanFolder } from './scan.ts';

const limit = pLimit(2);
const listTargets = async (): Promise<string[]> => (await people.traces()).restIds.map((id) => `id:${id}`);
const forgetAll = async (db: string): Promise<string[]> => [
  'forget',
  ...(await listTargets()),
  '--mentions',
  'redact',
  '--yes',
  '--quiet',
  '--db',
  db,
];

/** Erases everybody from a copy of the store of people. Returns its file. */
async function erase(): Promise<string> {
  const db = await people.copy();
  await runSuccessfully(await forgetAll(db));
  return db;
}

describe('trawl rebuild after an erasure', { timeout: 600_000 }, () => {
  test('keeps all rows, reads the other pages again, and says how many are withheld', async () => {
    const db = await erase();
    const countRows = (): number[] =>
      ['users', 'tweets', 'follows', 'tweet_replies', 'search_hits'].map((table) =>
        valueOf(db, `select count(*) from ${table}`),
      );
    const before = countRows();
    const steps = valueOf<number>(db, "select count(*) from _steps where withheld = 'erased' and response_roles <> ''");
    expect(steps).toBeGreaterThan(10);
    const { stdout } = await runSuccessfully(['rebuild', '--json', '--db', db]);
    expect(JSON.parse(stdout)).toMatchObject({ resolved: 0, unreadable: 0, withheld: steps });
    expect(countRows()).toEqual(before);
    const { restIds, tweetIds, handles, texts } = await people.traces();
    expect(scanFolder(db, [...restIds, ...tweetIds, ...handles, ...texts])).toEqual([]);
  });
});

const KILLS = countKills(5);

/** Kills at the first and the last two operations, and at some between them. */
const listPoints = (operations: number): number[] => [
  ...new Set([1, ...Array.from({ length: KILLS - 3 }, (_, i) => Math.ceil(((i + 1) * operations) / (KILLS - 2)))]),
  operations - 1,
  operations,
];

test('an erasure that is killed at any operation has not begun, or the next command that writes finishes it', async () => {
  const { restIds, handles, names, biographies, tweetIds, texts } = await people.traces();
  const traces = [...restIds, ...handles, ...names, ...biographies, ...tweetIds, ...texts];
  const whole = await people.copy();
  const operations = await listOperations(await forgetAll(whole));
  expect(operations.length).toBeGreaterThan(100);
  expect(scanFolder(whole, traces)).toEqual([]);

  let finished = 0;
  const kill = async (point: number): Promise<void> => {
    const operation = `after a kill at operation ${point}: ${operations[point - 1]}`;
    const path = await people.copy();
    await killTrawl(await forgetAll(path), point);
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
  // The first operations are before the erasure.
  expect(finished).toBeGreaterThanOrEqual(Math.min(KILLS - 3, Math.floor(KILLS * 0.9)));
}, 300_000);
