import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Sidecar } from '#files/export/sidecar.ts';
import { serve, type Service, withWorld } from '../e2e/support.ts';
import { type CliResult, runCli, runSuccessfully } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';

/** What `trawl query run` says about data that it needs, for crawls of a world. */

const world = withWorld(60, 11);

const description = (needs: string, sql: string): string => `/*
title: How many?
topic: T
description: D
parameters:
  account: { type: account, description: the account }
needs: [${needs}]
example: { account: nasa }
*/
${sql}
`;
const count = 'select count(*) as n from v_users where rest_id = :account';

/** Runs a query with these needs for HarbourNews. */
async function ask({ env }: Service, needs: string, sql = count, account = 'HarbourNews'): Promise<CliResult> {
  const cwd = tempDir();
  mkdirSync(join(cwd, 'queries'));
  writeFileSync(join(cwd, 'queries/mine.sql'), description(needs, sql));
  return await runCli(['query run mine --account', account, '-f', 'csv'], { cwd, env });
}

const crawl = async ({ env }: Service, code: number, ...args: string[]): Promise<void> => {
  const result = await runCli(['crawl', ...args, '--quiet'], { env });
  expect(result, result.stderr).toMatchObject({ code });
};

const answer = { stdout: 'n\n1\n' };
const COMPLETE = { ...answer, code: 0, stderr: '' };
/** The result of a query whose data is not complete. */
const lacking = (stderr: RegExp) => ({ ...answer, code: 3, stderr: expect.stringMatching(stderr) as string });
const FOLLOWERS = '{ kind: followers, of: account }';

test('a query says what was not collected, and how to collect it', async () => {
  const service = await serve(world, { pageSize: 4 });
  await crawl(service, 0, 'profile', 'HarbourNews');
  expect(await ask(service, `${FOLLOWERS}, { items: follows }, { kind: search }`)).toEqual({
    ...answer,
    code: 3,
    stderr: [
      'not collected: the followers of HarbourNews',
      '  `trawl crawl followers HarbourNews` collects it',
      'not collected: followers or followed accounts',
      '  `trawl crawl followers <account>` collects it',
      'not collected: searches',
      '  `trawl crawl search <search>` collects it',
      '',
    ].join('\n'),
  });
  expect(await ask(service, FOLLOWERS, `${count} and 1 = 2 having n > 0`)).toMatchObject({
    code: 3,
    stdout: 'n\n',
    stderr: expect.stringMatching(/\nno rows: some of the data was not collected\n$/) as string,
  });
  expect(await ask(service, '{ items: users, of: account }, { kind: profile, of: account }')).toEqual(COMPLETE);
});

test('a query says what was collected in part, until the list is complete', async () => {
  const service = await serve(world, { pageSize: 4 });
  await crawl(service, 0, 'profile', 'HarbourNews');
  await crawl(service, 3, 'followers', 'HarbourNews', '--max-pages', '1');
  expect(await ask(service, FOLLOWERS)).toEqual(
    lacking(
      /^collected in part: the followers of HarbourNews \(4 of \d+ reported items are stored; crawl 2 is partial: page limit reached: more remain\)\n {2}`trawl crawl followers HarbourNews` collects more\n$/,
    ),
  );
  expect(await ask(service, '{ kind: followers, of: account, lists: 0 }, { kind: followers }')).toEqual(COMPLETE);
  await crawl(service, 0, 'followers', 'HarbourNews');
  expect(await ask(service, FOLLOWERS)).toEqual(COMPLETE);
});

test('a query is content with one of several lists', async () => {
  const service = await serve(world, { pageSize: 4 });
  const need = '{ kind: [timeline, replies], of: account }';
  await crawl(service, 0, 'profile', 'HarbourNews');
  expect(await ask(service, need)).toMatchObject({
    ...answer,
    code: 3,
    stderr: 'not collected: the timeline of HarbourNews\n  `trawl crawl timeline HarbourNews` collects it\n',
  });
  await crawl(service, 3, 'timeline', 'HarbourNews', '--max-pages', '1');
  expect(await ask(service, need)).toEqual(lacking(/^collected in part: the timeline of HarbourNews /));
  await crawl(service, 0, 'replies', 'HarbourNews');
  expect(await ask(service, need)).toEqual({
    ...answer,
    code: 0,
    stderr:
      'not available: the tweets and replies of HarbourNews (all that the service shows is stored; there may be more)\n',
  });
  await crawl(service, 0, 'timeline', 'HarbourNews');
  expect(await ask(service, need)).toEqual(COMPLETE);
});

test('a query says what the service does not show', async () => {
  const service = await serve(world);
  // An account that closes its list: it has followers, and the list is empty.
  const [{ id, handle }] = world.db.$client
    .prepare(
      'select rest_id as id, screen_name as handle from users where followers_count > 0 order by id desc limit 1',
    )
    .all() as [{ id: string; handle: string }];
  await crawl(service, 0, 'profile', handle);
  await crawl(service, 0, 'followers', handle);
  expect(await ask(service, FOLLOWERS, count, handle)).toEqual(COMPLETE);
  world.db.$client.prepare('delete from follows where followee_id = (select id from users where rest_id = ?)').run(id);
  await crawl(service, 0, 'followers', handle);
  expect(await ask(service, FOLLOWERS, count, handle)).toMatchObject({
    ...answer,
    code: 0,
    stderr: expect.stringMatching(
      new RegExp(
        `^not available: the followers of ${handle} \\(\\d+ of \\d+ reported items are stored; the service shows only a part of it\\)\n$`,
      ),
    ) as string,
  });
  // The same account, when the service answers 404 for it.
  world.db.$client
    .prepare("update users set rest_id = '9' || rest_id, screen_name = screen_name || '_' where rest_id = ?")
    .run(id);
  await crawl(service, 1, 'profile', `id:${id}`);
  expect(await ask(service, '{ kind: following, of: account }', count, handle)).toMatchObject({
    ...answer,
    code: 0,
    stderr: expect.stringMatching(
      new RegExp(
        `^not available: ${handle} \\(the service answered 404 for it on \\d{4}-\\d\\d-\\d\\d\\)\nnot available: the accounts followed by ${handle}\n$`,
      ),
    ) as string,
  });
});

test('a query says which account a former handle means', async () => {
  const service = await serve(world);
  await crawl(service, 0, 'profile', 'nightsky_now');
  const [{ id }] = world.db.$client
    .prepare("select rest_id as id from users where screen_name = 'nightsky_now'")
    .all() as [{ id: string }];
  world.db.$client.exec("update users set screen_name = 'daysky' where screen_name = 'nightsky_now'");
  await crawl(service, 0, 'profile', `id:${id}`);
  const result = await ask(service, '', count, 'nightsky_now');
  expect(result).toEqual({ ...answer, code: 0, stderr: `nightsky_now is now called daysky (id:${id})\n` });
});

test('the sidecar of a file names the query, its values and what it lacked', async () => {
  const service = await serve(world);
  await crawl(service, 0, 'profile', 'HarbourNews');
  const cwd = tempDir();
  const args = [
    'query',
    'run',
    'mutual-follows',
    '--account',
    'harbournews',
    '-o',
    'friends.csv',
    '--timeout',
    '60s',
    '--memory',
    '1GB',
  ];
  const { code, stdout, stderr } = await runCli(args, { cwd, env: service.env });
  expect({ code, stdout }).toEqual({ code: 3, stdout: expect.stringContaining('friends.csv: 0 rows') as string });
  expect(stderr).toContain('not collected: the followers of HarbourNews');
  const sidecar = JSON.parse(readFileSync(join(cwd, 'friends.csv.meta.json'), 'utf8')) as Sidecar;
  const [{ id }] = world.db.$client
    .prepare("select rest_id as id from users where screen_name = 'HarbourNews'")
    .all() as [{ id: string }];
  expect(sidecar).toMatchObject({
    command: `trawl ${args.join(' ')}`,
    query: {
      name: 'mutual-follows',
      title: "Who are an account's mutual follows?",
      values: { account: 'harbournews' },
      missing: ['not collected: the followers of HarbourNews', 'not collected: the accounts followed by HarbourNews'],
    },
    parameters: { account: id },
    rows: 0,
    sha256: createHash('sha256')
      .update(readFileSync(join(cwd, 'friends.csv')))
      .digest('hex'),
  });
  // `trawl sql` repeats it.
  const again = await runSuccessfully(['sql', sidecar.sql, '-p', `account=${id}`, '-f', 'csv'], { env: service.env });
  expect(again.stdout).toBe(readFileSync(join(cwd, 'friends.csv'), 'utf8'));
});
