import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DAY } from '#base/clock.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { SERVED, storeOfAccount } from '../analysis/coverage/account-store.ts';
import { runCli, runJson } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';

/**
 * A store whose timeline of nasa was read 40 days ago, and its newest tweet yesterday. The service answered 404 for the
 * fourth tweet, so that nobody has to ask for it again.
 */
async function createOldStore(): Promise<string> {
  const now = Date.now();
  const { store, profile, timeline } = storeOfAccount();
  await profile(now - 41 * DAY, null, { screenName: 'nasa' });
  await timeline(now - 40 * DAY, SERVED, [4, 3, 2, 1]);
  await timeline(now - DAY, SERVED, [1]);
  using db = openDatabase(store.path);
  db.$client.exec(
    `insert into _deletion_evidence (tweet_id, suspected_at, confirmed_at, crawl_id)
     select id, ${now - 2 * DAY}, ${now - 2 * DAY}, 3 from tweets where rest_id = 't4'`,
  );
  return store.path;
}

/** The commands that count deletions, with the accounts that they are about. */
const COMMANDS: readonly (readonly [command: string, output: string | undefined, accounts: string])[] = [
  ['query run deleted-tweets', undefined, ''],
  ['query run deletions-and-edits --account nasa', undefined, ' --accounts id:1'],
  ['report account nasa', 'report.html', ' --accounts id:1'],
  ['export tweets', 'tweets.csv', ''],
  ['export tweets --accounts nasa -o -', undefined, ' --accounts id:1'],
  ['export graph mentions', 'mentions.csv', ''],
  ['export dataset', 'dataset', ''],
  ['coverage nasa', undefined, ' --accounts id:1'],
];

describe('commands that count deletions', () => {
  test.each(COMMANDS)(
    '%s says how many stored tweets were not checked for long, and what checks them',
    async (command, output, accounts) => {
      const db = await createOldStore();
      const run = async (...more: string[]) => {
        const { code, stdout, stderr } = await runCli([
          ...command.split(' '),
          ...(output === undefined ? [] : ['-o', tempFile(output)]),
          '--db',
          db,
          ...more,
        ]);
        return { code, text: `${stdout}${stderr}` };
      };
      const usual = await run();
      expect(usual.text).toContain('2 stored tweets have not been checked for longer than 30 days, the oldest');
      expect(usual.text).toContain(`trawl recheck tweets --older-than 30d${accounts} --db ${db}\` checks them`);
      const asked = await run('--older-than', '39d');
      expect(asked.text).toContain('2 stored tweets have not been checked for longer than 39 days');
      expect(asked.code).toBe(3);
      const old = await run('--older-than', '41d');
      expect(old.text).not.toContain('tweets have not been checked');
      expect([usual.code, old.code]).toEqual([0, 0]);
    },
  );

  test('find says it beside the number of deleted tweets that match, and in its document', async () => {
    const db = await createOldStore();
    const { code, stderr } = await runCli(['find from:nasa --db', db]);
    expect(code).toBe(0);
    expect(stderr).toContain('left out: 1 deleted tweet (--include-deleted shows it)\n');
    expect(stderr).toContain('2 stored tweets have not been checked for longer than 30 days, the oldest');
    expect(stderr).toContain(`trawl recheck tweets --older-than 30d --db ${db}\` checks them`);
    const document = await runJson<object>(['find from:nasa --db', db]);
    expect(document).toMatchObject({
      hidden: { deletedTweets: 1 },
      deletions: { unchecked: 2, olderThan: '30d', command: 'recheck tweets --older-than 30d' },
    });
  });

  test('the sentence is in brackets without brackets of its own, and agrees with one tweet', async () => {
    const db = await createOldStore();
    const { stderr } = await runCli(['query run deleted-tweets --db', db]);
    expect(stderr).toMatch(
      /not checked: tweets \(2 stored tweets have not been checked for longer than 30 days, the oldest since [\d-]+: later deletions are not known\)/,
    );
    using connection = openDatabase(db);
    connection.$client.exec("delete from tweets where rest_id = 't3'");
    const { stderr: one } = await runCli(['find from:nasa --db', db]);
    expect(one).toMatch(/1 stored tweet has not been checked for longer than 30 days, since [\d-]+: [^]*` checks it\n/);
  });

  test('recheck says what it does not check, in the right number', async () => {
    const db = await createOldStore();
    const { stdout } = await runCli(['recheck tweets --older-than 1h --dry-run --db', db]);
    expect(stdout).toContain('Not checked: 1 deleted tweet (--include-deleted checks it).');
  });

  test('files state it beside the numbers of deletions, without accounts in pseudonymised ones', async () => {
    const db = await createOldStore();
    const deletions = {
      unchecked: 2,
      olderThan: '30d',
      oldestCheckAt: expect.any(String) as string,
      sentence: expect.stringMatching(/^2 stored tweets have not been checked/) as string,
    };
    const writeSidecar = async (words: readonly string[], output: string, sidecar = `${output}.meta.json`) => {
      await runCli([...words, '-o', output, '--db', db, '--quiet']);
      return JSON.parse(readFileSync(sidecar, 'utf8')) as object;
    };
    const command = 'recheck tweets --older-than 30d --accounts id:1';
    const rowsOfNasa = ['export', 'tweets', '--accounts', 'nasa'];
    expect(await writeSidecar(rowsOfNasa, tempFile('tweets.csv'))).toMatchObject({
      deletions: { ...deletions, command },
    });
    expect(await writeSidecar([...rowsOfNasa, '--pseudonymise'], tempFile('tweets.csv'))).toMatchObject({
      deletions: { ...deletions, command: null },
    });
    expect(await writeSidecar(['report', 'account', 'nasa'], tempFile('report.html'))).toMatchObject({
      deletions: { ...deletions, command },
    });
    const folder = tempFile('dataset');
    expect(await writeSidecar(['export', 'dataset'], folder, `${folder}/datapackage.json`)).toMatchObject({
      trawl: { deletions },
    });
    expect(readFileSync(`${folder}/README.md`, 'utf8')).toContain('2 stored tweets have not been checked');
  });
});
