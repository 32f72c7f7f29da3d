import { createHash } from 'node:crypto';
import { copyFileSync, openSync, readdirSync, readFileSync, statSync, writeSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { expect, test } from 'vitest';
import { failure, runCli, runDoctorCheck, runJson, runSuccessfully, spawnCli } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';
import { followedBy, gate, integrityOf, peopleOf, rowsOf, serve, valueOf, withWorld } from './support.ts';

const world = withWorld(250, 7);

/** What crawls stored, without times. */
const contentOf = (db: string) => ({
  crawls: rowsOf(db, 'select kind, target, state from crawls order by 1, 2'),
  users: rowsOf(db, 'select rest_id, screen_name, followers_count from users order by 1'),
  follows: valueOf(db, 'select count(*) from follows where ended_at is null'),
  integrity: integrityOf(db),
});

/** The files beside a backup that have its name. */
const filesOf = (file: string): string[] =>
  readdirSync(dirname(file)).filter((name) => name.startsWith(basename(file)));

test('a backup is made while a worker crawls, and crawls on in its place (invariant 1)', async () => {
  const { handle, followers } = followedBy(world, 60);
  const [reached, copied] = [gate(), gate()];
  const service = await serve(world, {
    pageSize: 2,
    async onAsked({ n }) {
      if (n === 15) reached.open();
      // The worker goes on while pages are copied, and its crawl is not finished before the copy is.
      if (n === 25) await copied.opened;
    },
  });
  const { db, env } = service;
  const people = peopleOf(world, 20).map((person) => person.handle);
  await runSuccessfully(['enqueue', 'followers', handle], { env });
  await runSuccessfully(['enqueue', 'profile', ...people], { env });
  const worker = spawnCli(['work', '--exit-when-idle', '--concurrency', '1'], { env });
  await reached.opened;
  const file = tempFile('copy.db');
  const backup = await runJson<{ bytes: number; sha256: string; rows: Record<string, number> }>(['backup', file], {
    env,
  });
  copied.open();
  expect(await worker.exited).toBe(0);

  expect(filesOf(file)).toEqual([basename(file)]);
  expect(statSync(file)).toMatchObject({
    size: backup.bytes,
    mode: expect.toSatisfy((mode) => (mode & 0o777) === 0o600),
  });
  expect(createHash('sha256').update(readFileSync(file)).digest('hex')).toBe(backup.sha256);
  expect(backup.rows).toMatchObject({ crawls: 21, raw_pages: valueOf(file, 'select count(*) from raw_pages') });
  expect(valueOf(file, 'select count(*) from crawls where finished_at is null')).toBeGreaterThan(0);

  // Restored elsewhere, the crawls continue, and end as the others did.
  await runSuccessfully(['work', '--exit-when-idle'], { env: { ...env, TRAWL_DB: file } });
  expect(contentOf(file)).toEqual(contentOf(db));
  expect(contentOf(db)).toMatchObject({ follows: followers, integrity: 'ok' });
});

test('a backup replaces nothing, and none is made of a damaged database', async () => {
  const db = tempFile('mine.db');
  await runSuccessfully(['enqueue', 'profile', 'nasa', '--db', db]);
  const file = tempFile('copy.db');
  expect(await runCli(['backup', db, '--db', db])).toEqual(failure(2, 'is the database itself'));
  const { stdout } = await runSuccessfully(['backup', file, '--db', db]);
  expect(stdout).toMatch(/copy\.db: .* rows, checked, in .*\nsha256 [\da-f]{64}\n$/);
  const before = readFileSync(file);
  expect(await runCli(['backup', file, '--db', db])).toEqual(
    failure(2, 'exists already, and a backup replaces nothing'),
  );
  expect(readFileSync(file).equals(before)).toBe(true);

  const damaged = tempFile('damaged.db');
  copyFileSync(file, damaged);
  const [page, size] = [
    valueOf(damaged, "select rootpage from sqlite_schema where name = 'sqlite_autoindex__settings_1'"),
    valueOf(damaged, 'select page_size from pragma_page_size'),
  ];
  writeSync(openSync(damaged, 'r+'), Buffer.alloc(100, 7), 0, 100, (page - 1) * size);
  const copy = tempFile('of-damaged.db');
  const { code, stderr } = await runCli(['backup', copy, '--db', damaged]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('is damaged') });
  expect(filesOf(copy)).toEqual([]);
});

test('erasures go with a backup, and an older one learns of them (invariant 15)', async () => {
  const service = await serve(world);
  const { db, env } = service;
  const [first, second] = peopleOf(world, 2).map(({ handle }) => handle);
  await runSuccessfully(['crawl', 'profile', first!, second!, '-q'], { env });
  const [older, newer] = [tempFile('older.db'), tempFile('newer.db')];
  await runSuccessfully(['backup', older], { env });
  expect(filesOf(older)).toEqual(['older.db']);
  await runSuccessfully(['forget', first!, '--yes'], { env });
  await runSuccessfully(['backup', newer], { env });
  expect(filesOf(newer)).toEqual(['newer.db', 'newer.db.tombstones']);
  expect(readFileSync(`${newer}.tombstones`, 'utf8')).toBe(readFileSync(`${db}.tombstones`, 'utf8'));

  // On a new machine: the older copy, with the newest list of erasures.
  copyFileSync(`${newer}.tombstones`, `${older}.tombstones`);
  expect(await runDoctorCheck(older, 'erasures')).toMatchObject({ finding: { status: 'wrong' } });
  await runSuccessfully(['panel', 'create', 'any', '--db', older]);
  expect(rowsOf(older, 'select lower(screen_name) as handle from users where profile_at is not null')).toEqual([
    { handle: second!.toLowerCase() },
  ]);
});
