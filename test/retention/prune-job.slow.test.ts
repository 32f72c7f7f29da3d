import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rowsOf, serve, valueOf, withWorld } from '../e2e/support.ts';
import { runProcess, runSuccessfully } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';

const world = withWorld(60, 11);

test('prune job removes what only the job has shown, and nothing that another crawl has shown, too', async () => {
  const service = await serve(world);
  const { db, env } = service;
  const cwd = tempDir();
  mkdirSync(join(cwd, 'jobs'));
  const job = (name: string, kind: string, targets: string) =>
    writeFileSync(join(cwd, 'jobs', `${name}.yaml`), `every: 300d\nkind: ${kind}\ntargets: [${targets}]\n`);
  // A command has collected a part of the same before.
  await runSuccessfully(['crawl', 'timeline', 'nightsky_now', '--quiet'], { env });
  await runSuccessfully(['crawl', 'followers', 'nightsky_now', '--quiet'], { env });
  const others = contents(db);
  job('tweets', 'timeline', 'HarbourNews, nightsky_now');
  job('edges', 'followers', 'HarbourNews, nightsky_now');
  const work = await runProcess(['work', '--jobs', 'jobs', '--exit-when-idle'], { env, cwd });
  expect(work, work.stderr).toMatchObject({ code: 0 });
  const all = contents(db);
  expect(all.tweets.length).toBeGreaterThan(others.tweets.length);
  expect(all.edges.length).toBeGreaterThan(others.edges.length);
  expect(all.users.length).toBeGreaterThan(others.users.length);
  const crawls = rowsOf(db, 'select id, kind, state, items from crawls');

  const prune = (name: string, ...more: string[]) =>
    runSuccessfully(['prune', 'job', name, '--db', db, '--json', ...more]);
  for (const name of ['tweets', 'edges']) {
    const [preview, result] = [await prune(name, '--dry-run'), await prune(name, '--yes')].map(
      ({ stdout }) => (JSON.parse(stdout) as { prunes: { rows: Record<string, number> }[] }).prunes[0]!.rows,
    );
    // Which accounts are then unused is known when the other rows are gone.
    const {
      users: _users,
      user_history: _history,
      _user_last_seen: _seen,
      _user_stale_columns: _stale,
      ...rows
    } = result!;
    expect(rows).toEqual(preview);
  }
  const left = contents(db);
  expect(left.tweets).toEqual(others.tweets);
  expect(left.edges).toEqual(others.edges);
  expect(left.users).toEqual(others.users);
  expect(rowsOf(db, 'pragma foreign_key_check')).toEqual([]);
  expect(rowsOf(db, 'select id, kind, state, items from crawls')).toEqual(crawls);
  expect(
    valueOf(db, 'select count(*) from raw_pages where crawl_id in (select id from crawls where run_id is not null)'),
  ).toBe(0);

  expect(
    rowsOf(
      db,
      "select kind, target, is_complete, pruned > 0 as isPruned from v_completeness where kind <> 'profile' order by 1, 2",
    ),
  ).toEqual([
    { kind: 'followers', target: expect.any(String) as string, is_complete: 0, isPruned: 1 },
    { kind: 'followers', target: 'nightsky_now', is_complete: 1, isPruned: 0 },
    { kind: 'timeline', target: expect.any(String) as string, is_complete: 0, isPruned: 1 },
    { kind: 'timeline', target: 'nightsky_now', is_complete: 1, isPruned: 0 },
  ]);
  // A complete list that is stored again is complete, and no follow looks new since a list that was pruned.
  await runSuccessfully(['crawl', 'followers', 'HarbourNews', '--quiet'], { env });
  expect(contents(db).edges).toEqual(all.edges);
  expect(
    rowsOf(db, "select is_complete, pruned from v_completeness where kind = 'followers' and target = 'HarbourNews'"),
  ).toEqual([{ is_complete: 1, pruned: 0 }]);
  expect(
    valueOf(db, "select count(*) from v_follow_changes where followee = 'HarbourNews' and earliest_at is not null"),
  ).toBe(0);
});

/** What a store has of people: by the ids of the service. */
function contents(db: string) {
  const list = (sql: string) => rowsOf<{ id: string }>(db, sql).map(({ id }) => id);
  return {
    tweets: list('select rest_id as id from tweets order by 1'),
    edges: list(
      `select a.rest_id || ' ' || b.rest_id as id from follows join users a on a.id = follower_id join users b on b.id = followee_id order by 1`,
    ),
    users: list('select rest_id as id from users order by 1'),
  };
}
