import { copyFileSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { rowsOf, valueOf } from '../../e2e/support.ts';
import { runCli, runSuccessfully } from '../../support/cli.ts';
import { withStoreOfPeople } from './people.ts';
import { scanFolder } from './scan.ts';

const people = withStoreOfPeople();
const listTargets = async (): Promise<string[]> => (await people.traces()).restIds.map((id) => `id:${id}`);

/** Erases everybody from a copy of the store of people. Returns its file. */
async function erase(mentions: string): Promise<string> {
  const db = await people.copy();
  await runSuccessfully(['forget', ...(await listTargets()), '--yes', '--db', db, '--mentions', mentions]);
  return db;
}

const doctor = async (db: string): Promise<{ status: string; message: string }> => {
  const { stdout } = await runCli(['doctor', '--json', '--db', db]);
  const { findings } = JSON.parse(stdout) as { findings: { check: string; status: string; message: string }[] };
  return findings.find(({ check }) => check === 'erasures')!;
};

describe('a store from before an erasure, in the place of the one after it', { timeout: 600_000 }, () => {
  test.each(['keep', 'redact'])('lacks the accounts as soon as a command writes (mentions: %s)', async (mentions) => {
    const db = await erase(mentions);
    for (const end of ['-wal', '-shm']) rmSync(`${db}${end}`, { force: true });
    copyFileSync(await people.copy(), db);
    expect(await doctor(db)).toMatchObject({
      status: 'wrong',
      message: expect.stringContaining('it is an older copy'),
    });
    // Reading changes nothing.
    await runSuccessfully(['sql', 'select count(*) from users', '--db', db]);
    expect(valueOf(db, 'select count(*) from _tombstones')).toBe(0);
    const { stderr } = await runSuccessfully(['panel', 'create', 'after', '--db', db]);
    expect(stderr).toContain(`${db} is an older copy: erasing accounts that were erased since`);
    expect(await doctor(db)).toMatchObject({ status: 'ok' });
    const { restIds, tweetIds, handles, texts, biographies } = await people.traces();
    const traces = [...restIds, ...tweetIds, ...texts, ...biographies, ...(mentions === 'redact' ? handles : [])];
    expect(scanFolder(db, traces)).toEqual([]);
    expect(rowsOf(db, 'select name from panels order by 1')).toEqual([{ name: 'after' }, { name: 'stage' }]);
    const enqueued = await runCli(['enqueue', 'profile', ...(await listTargets()), '--db', db]);
    expect(enqueued).toMatchObject({ code: 3, stderr: expect.stringContaining('targets are forgotten accounts') });
  });
});

describe('trawl rebuild after an erasure', { timeout: 600_000 }, () => {
  test('keeps all rows, reads the other pages again, and says how many are withheld', async () => {
    const db = await erase('redact');
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
