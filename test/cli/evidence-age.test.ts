import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DAY } from '../../src/base/clock.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { newStore, openLeased, pageOf, progressOf, rows, tweet, user } from '../store/support.ts';
import { runCli, runJson } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';

/**
 * A store whose timeline of nasa was read 40 days ago, and its newest tweet yesterday. The service answered 404 for the
 * fourth tweet, so that nobody has to ask for it again.
 */
async function createOldStore(): Promise<string> {
  const now = Date.now();
  const store = newStore();
  const read = async (at: number, ids: readonly string[]): Promise<void> => {
    const { id, lease } = await openLeased(store, at, { kind: 'timeline', target: 'id:1' });
    await store.write.commitPage(
      pageOf(id, lease, at, {
        rows: rows({
          users: [user('1', { screenName: 'nasa' })],
          tweets: ids.map((restId) => tweet(restId, { authorRestId: '1', createdAt: at })),
        }),
        progress: progressOf({ targetRestId: '1', items: ids.length }),
        end: { state: 'complete', ending: 'served' },
      }),
    );
  };
  await read(now - 40 * DAY, ['1', '2', '3', '4']);
  await read(now - DAY, ['1']);
  using db = openDatabase(store.path);
  db.$client.exec(
    `insert into _deletion_evidence (tweet_id, suspected_at, confirmed_at, crawl_id)
     select id, ${now - 2 * DAY}, ${now - 2 * DAY}, 2 from tweets where rest_id = '4'`,
  );
  return store.path;
}

const file = (name: string) => tempFile(name);
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
          ...(output === undefined ? [] : ['-o', file(output)]),
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
      // The queries lack a second list, which ends them with 3 anyway.
      expect([usual.code, old.code]).toEqual(command.startsWith('query run') ? [3, 3] : [0, 0]);
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
    connection.$client.exec("delete from tweets where rest_id = '3'");
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
    expect(await writeSidecar(rowsOfNasa, file('tweets.csv'))).toMatchObject({ deletions: { ...deletions, command } });
    expect(await writeSidecar([...rowsOfNasa, '--pseudonymise'], file('tweets.csv'))).toMatchObject({
      deletions: { ...deletions, command: null },
    });
    expect(await writeSidecar(['report', 'account', 'nasa'], file('report.html'))).toMatchObject({
      deletions: { ...deletions, command },
    });
    const folder = file('dataset');
    expect(await writeSidecar(['export', 'dataset'], folder, `${folder}/datapackage.json`)).toMatchObject({
      trawl: { deletions },
    });
    expect(readFileSync(`${folder}/README.md`, 'utf8')).toContain('2 stored tweets have not been checked');
  });
});
