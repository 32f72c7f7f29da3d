import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DAY } from '#base/clock.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { runCli, runDoctorCheck } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';

/** Creates a store whose only request was sent some days ago. */
function createStore(days: number): string {
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

const readDisk = async (db: string, env: Record<string, string> = {}) => {
  const [text, json, doctor] = await Promise.all([
    runCli(['status --db', db], { env }),
    runCli(['status --db', db, '--json'], { env }),
    runDoctorCheck(db, 'disk', { env }),
  ]);
  const { disk } = JSON.parse(json.stdout) as { disk: object };
  return { text: /^disk +(.+)$/m.exec(text.stdout)?.[1], json: disk, ...doctor };
};

test('status and doctor show the growth per day and the days until the disk is full', async () => {
  const { text, json } = await readDisk(createStore(2));
  expect(text).toMatch(
    /^.+ free; the store grows by about .+ a day: enough for (about [\d,]+ days|more than 10 years)$/,
  );
  const { freeBytes, minFreeBytes, growthBytesPerDay, daysLeft } = json as Record<string, number>;
  expect(growthBytesPerDay).toBeGreaterThan(0);
  expect(daysLeft).toBe(Math.floor((freeBytes! - minFreeBytes!) / growthBytesPerDay!));
});

test('status reports paused crawls on a full disk, and doctor exits with 1', async () => {
  const { text, json, finding, code } = await readDisk(createStore(2), { TRAWL_MIN_FREE_DISK: '100%' });
  const message = /^.+ free, less than the minimum of .+: crawls pause$/;
  expect(text).toMatch(message);
  expect(json).toMatchObject({ state: 'low', daysLeft: 0 });
  expect(code).toBe(1);
  expect(finding).toMatchObject({ status: 'wrong', message: expect.stringMatching(message) as string });
});

test('status tells the database, its free pages and its write-ahead log apart', async () => {
  const db = createStore(0.5);
  {
    using filled = openDatabase(db);
    filled.$client.exec('create table filler (body blob); insert into filler values (zeroblob(2000000))');
    filled.$client.exec('drop table filler');
    filled.$client.pragma('wal_checkpoint(truncate)');
  }
  using open = openDatabase(db);
  open.$client.pragma('wal_autocheckpoint = 0');
  open.$client.exec('create table waiting (body blob); insert into waiting values (zeroblob(500000))');
  const page = Number(open.$client.pragma('page_size', { simple: true }));
  const free = Number(open.$client.pragma('freelist_count', { simple: true })) * page;
  const [wal, bytes] = [statSync(`${db}-wal`).size, statSync(db).size];
  expect(wal).toBeGreaterThan(500_000);
  expect(free).toBeGreaterThan(1_000_000);

  const { stdout } = await runCli(['status --db', db, '--json']);
  const size = (JSON.parse(stdout) as { db: object }).db;
  expect(size).toEqual({ path: db, bytes, freePageBytes: free, walBytes: wal });
  const text = await runCli(['status --db', db]);
  expect(text.stdout).toMatch(
    /^store .*mine.db, \S+ MB, at .*\n {8}of which \S+ MB are free pages; write-ahead log \S+ kB$/m,
  );
});
