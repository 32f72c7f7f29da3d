import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DAY } from '#base/clock.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { rowsOf, serve, valueOf, withWorld } from '../e2e/support.ts';
import { runCli, runProcess, runSuccessfully } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';

const world = withWorld(60, 11);

const tweetsOf = (db: string, account: string, condition = 'true'): string[] =>
  rowsOf<{ id: string }>(
    db,
    `select t.rest_id as id from tweets t join users u on u.id = t.author_id where u.screen_name = ? and ${condition} order by 1`,
    account,
  ).map(({ id }) => id);

const readText = (file: string): string => readFileSync(file, 'utf8');

/** Makes all prunes older, as if time had passed. */
function shiftPrunes(path: string, ms: number): void {
  using db = openDatabase(path);
  db.$client.prepare('update _prunes set started_at = started_at - ?, finished_at = finished_at - ?').run(ms, ms);
}

test('workers apply the retention of a job, once a day: to what its crawls alone brought', async () => {
  const service = await serve(world, { pageSize: { 'user-tweets': 5 } });
  const { db, env } = service;
  const cwd = tempDir();
  const middle = valueOf(
    world.file,
    "select created_at from tweets where author_id = (select id from users where screen_name = 'HarbourNews') order by created_at limit 1 offset 20",
  );
  const age = Math.floor((Date.now() - middle) / DAY);
  const limit = Math.floor((Date.now() - age * DAY) / DAY) * DAY;
  mkdirSync(join(cwd, 'jobs'));
  const writeJob = (retention: string): void =>
    writeFileSync(
      join(cwd, 'jobs', 'short.yaml'),
      `every: 300d\nkind: timeline\ntargets: [HarbourNews, nightsky_now]\nretention: ${retention}\n`,
    );
  writeJob('as approved');
  const work = async () => {
    const result = await runProcess(['work', '--jobs', 'jobs', '--exit-when-idle'], { env, cwd });
    expect(result, result.stderr).toMatchObject({ code: 0 });
    return result.stderr.split('\n').filter((line) => line.includes('"retention"'));
  };
  await work();
  // A command has collected one of the timelines, too: its tweets stay.
  await runSuccessfully(['crawl', 'timeline', 'nightsky_now', '--full-refresh', '--quiet'], { env });
  const [both, own] = [tweetsOf(db, 'nightsky_now'), tweetsOf(db, 'HarbourNews', `t.created_at >= ${limit}`)];
  expect(own.length).toBeLessThan(tweetsOf(db, 'HarbourNews').length);
  expect(rowsOf(db, 'select * from _prunes')).toEqual([]);
  writeJob(`{ tweets: ${age}d, statement: "as approved" }`);
  await runSuccessfully(['schedule', 'sync', 'jobs', '--db', db], { env, cwd });

  const dry = await runSuccessfully(['prune', '--dry-run', '--json', '--db', db]);
  const [preview] = (JSON.parse(dry.stdout) as { prunes: { rows: Record<string, number>; sharedTweets: number }[] })
    .prunes;
  expect(preview!.sharedTweets).toBe(tweetsOf(db, 'nightsky_now', `t.created_at < ${limit}`).length);

  expect(await work()).toEqual([expect.stringContaining(`"tweets":${preview!.rows['tweets']}`)]);
  expect(tweetsOf(db, 'HarbourNews')).toEqual(own);
  expect(tweetsOf(db, 'nightsky_now')).toEqual(both);
  expect(rowsOf(db, 'select kind, account, job_name, is_retention from v_pruned_ranges')).toEqual([
    { kind: 'timeline', account: 'HarbourNews', job_name: 'short', is_retention: 1 },
  ]);
  // A day later it is due again.
  const applied = () => valueOf(db, 'select count(*) from _prunes where finished_at is not null');
  await work();
  expect(applied()).toBe(1);
  shiftPrunes(db, DAY);
  await work();
  expect(applied()).toBe(2);
  // The same retention on demand finds nothing more.
  const again = await runCli(['prune', '--yes', '--json', '--db', db]);
  expect(JSON.parse(again.stdout)).toMatchObject({ prunes: [{ job: 'short', scope: 'tweets', rows: {} }] });

  const coverage = await runSuccessfully(['coverage', 'HarbourNews', '--db', db]);
  expect(coverage.stdout).toMatch(/pruned: .*items of the list removed, the last on \d{4}-/);
  const query = await runCli(['query', 'run', 'tweets-per-period', '--account', 'HarbourNews', '--db', db]);
  expect(query).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(
      /^pruned: the .* of HarbourNews \(\d+ items from .* removed from the database, the last on \d{4}-/m,
    ) as string,
  });
  await runSuccessfully(['report', 'account', 'HarbourNews', '-o', join(cwd, 'r.html'), '--db', db]);
  const files = ['r.html', 'tweets.csv.meta.json'];
  await runSuccessfully(['export', 'tweets', '-o', join(cwd, 'tweets.csv'), '--accounts', 'HarbourNews', '--db', db]);
  const [page, sidecar] = files.map((file) => readText(join(cwd, file)));
  expect(page).toContain('items of the list removed, the last on');
  expect(page).toContain('as approved; trawl deletes tweets');
  const timeline = (
    JSON.parse(sidecar!) as { completeness: { details: { kind: string }[] } }
  ).completeness.details.find(({ kind }) => kind === 'timeline');
  expect(timeline).toMatchObject({ isComplete: false, pruned: { items: preview!.rows['tweets'] } });
});
