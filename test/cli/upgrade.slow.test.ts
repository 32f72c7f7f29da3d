import { expect, test } from 'vitest';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { openConnection } from '../../src/store/sqlite/driver.ts';
import { createOldStore } from '../store/old-store.ts';
import { runCli, runDoctorCheck } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';

test('a database of trawl 0.1 is refused until `trawl upgrade`, which asks for a backup or a confirmation', async () => {
  const db = createOldStore('create view theirs as select first_seen from v_tweets;');
  for (const command of [['status'], ['keys', 'create']]) {
    const refused = await runCli([...command, '--db', db]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('trawl upgrade')]);
  }
  const asked = await runCli(['upgrade', '--db', db]);
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--backup <file>')]);

  const backup = tempFile('backup.db');
  const upgraded = await runCli(['upgrade', '--db', db, '--backup', backup, '--json']);
  expect(JSON.parse(upgraded.stdout)).toMatchObject({ upgraded: true, backup, broken: ['theirs'], removed: [] });
  expect(upgraded.stderr).toContain('use old names (see docs/renames.md): theirs');
  expect((await runCli(['keys', 'list', '--db', db, '--json'])).stdout).toContain('"name": "mine"');
  expect((await runCli(['upgrade', '--db', db])).stderr).toContain('is up to date');
});

test('`trawl doctor --deep` reports foreign keys without a row', async () => {
  const path = tempFile('store.db');
  openDatabase(path).$client.close();
  expect(await runDoctorCheck(path, 'keys', {}, '--deep')).toMatchObject({ finding: { status: 'ok' } });
  const db = openConnection(path);
  db.pragma('foreign_keys = off');
  db.exec(
    'insert into media (tweet_id, position) values (1, 0), (1, 1); insert into follows values (1, 2, 3, 4, 5, null, null, 0)',
  );
  db.close();
  const message = 'foreign keys: 2 rows of follows without a row of users; 2 rows of media without a row of tweets';
  expect(await runDoctorCheck(path, 'keys', {}, '--deep')).toMatchObject({ finding: { status: 'wrong', message } });
});
