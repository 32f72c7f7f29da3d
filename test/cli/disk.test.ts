import { expect, test, vi } from 'vitest';
import { DAY } from '../../src/clock.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { runCli } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';

vi.setConfig({ testTimeout: 60_000 });

/** A store whose one request was sent so many days ago. */
function storeOf(days: number): string {
  const file = tempFile('mine.db');
  const { $client } = openDatabase(file);
  $client
    .prepare(
      "insert into requests (crawl_id, endpoint, sent_at, status, duration_ms, response_bytes) values (1, 'followers', ?, 200, 1, 9)",
    )
    .run(Date.now() - days * DAY);
  $client.close();
  return file;
}

const diskOf = async (db: string, env: Record<string, string> = {}) => {
  const [words, json, doctor] = await Promise.all([
    runCli(['status', '--db', db], { env }),
    runCli(['status', '--db', db, '--json'], { env }),
    runCli(['doctor', '--db', db, '--json'], { env }),
  ]);
  const { findings } = JSON.parse(doctor.stdout) as { findings: { check: string }[] };
  return {
    words: /^disk +(.+)$/m.exec(words.stdout)?.[1],
    json: (JSON.parse(json.stdout) as { disk: object }).disk,
    finding: findings.find(({ check }) => check === 'disk'),
    code: doctor.code,
  };
};

test('status and doctor show the free space, and no growth of a young store', async () => {
  const { words, json, finding, code } = await diskOf(storeOf(0.5));
  expect(words).toMatch(/^[\d.]+ [kMGT]B free; growth unknown: less than a day of data$/);
  const figures = {
    freeBytes: expect.any(Number),
    minFreeBytes: expect.any(Number),
    isLow: false,
    growthBytesPerDay: null,
    daysLeft: null,
  };
  expect(json).toEqual(figures);
  expect(finding).toEqual({
    check: 'disk',
    status: 'ok',
    message: expect.stringContaining('less than a day of data'),
    figures,
  });
  expect(code).toBe(0);
});

test('status and doctor show the growth per day and the days until the disk is full', async () => {
  const { words, json } = await diskOf(storeOf(2));
  expect(words).toMatch(
    /^.+ free; the store grows by about .+ a day: enough for (about [\d,]+ days|more than 10 years)$/,
  );
  const { freeBytes, minFreeBytes, growthBytesPerDay, daysLeft } = json as Record<string, number>;
  expect(growthBytesPerDay).toBeGreaterThan(0);
  expect(daysLeft).toBe(Math.floor((freeBytes! - minFreeBytes!) / growthBytesPerDay!));
});

test('status reports paused crawls on a full disk, and doctor exits with 1', async () => {
  const { words, json, finding, code } = await diskOf(storeOf(2), { TRAWL_MIN_FREE_DISK: '100%' });
  expect(words).toMatch(/^.+ free, less than the minimum of .+: crawls pause$/);
  expect(json).toMatchObject({ isLow: true, daysLeft: 0 });
  expect(finding).toMatchObject({ status: 'wrong', message: words });
  expect(code).toBe(1);
});
