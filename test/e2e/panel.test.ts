import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '#store/sqlite/database.ts';
import { createWorld } from '#twin/world/create-world.ts';
import { stepWorld } from '#twin/world/step/step-world.ts';
import { runCli, runJson, runProcess, runSuccessfully, startCli } from '../support/cli.ts';
import { createStoreFile } from '../support/store-file.ts';
import { tempDir, tempFile } from '../support/temp.ts';
import { peopleOf, rowsOf, serve, withWorld, writeTargets } from './support.ts';

const world = withWorld(60, 7);

interface Shown {
  readonly members: readonly {
    readonly restId: string;
    readonly handle: string | null;
    readonly screenName: string | null;
    readonly state: string | null;
  }[];
}

test('a panel names the members that a step of the world renamed or suspended, and follows them by id', async () => {
  const file = createStoreFile(tempFile('world.db'));
  const changing = openDatabase(file);
  onTestFinished(() => changing[Symbol.dispose]());
  await createWorld({ db: changing, users: 80, seed: 7 });
  const service = await serve({ file, db: changing });
  const { db, env } = service;
  const trawl = (...args: string[]) => runCli(args, { env });
  const handles = () => new Map(peopleOf({ file, db: changing }, 1000).map(({ id, handle }) => [id, handle]));
  const before = handles();

  await runSuccessfully(['panel', 'create', 'all'], { env });
  const targets = writeTargets([...before.values()]);
  // The database has none of the handles.
  const added = await runSuccessfully(['panel', 'add', 'all', '--from-file', targets, '--crawl', '-q'], { env });
  expect(added.stdout.trimEnd().split('\n')).toHaveLength(before.size);
  expect(service.asked.map(({ endpoint }) => endpoint)).toEqual([...before].map(() => 'user-profile'));
  const read = async () => (await runJson<Shown>(['panel', 'show', 'all'], { env })).members;
  expect((await read()).map(({ restId, handle, state }) => [restId, handle, state])).toEqual(
    [...before].map(([id, handle]) => [id, handle, null]),
  );

  const { changes } = stepWorld({ db: changing, days: 90, seed: 1 });
  const after = handles();
  const renamed = [...after].flatMap(([id, handle]) =>
    before.get(id)!.toLowerCase() === handle.toLowerCase() ? [] : [id],
  );
  const suspended = changes.suspensions.map(({ restId }) => restId);
  expect(Math.min(renamed.length, suspended.length)).toBeGreaterThan(0);

  const crawled = await trawl('crawl', 'profile', '--panel', 'all');
  expect(crawled.code, crawled.stderr).toBe(1);
  const [someone] = renamed;
  const change = `panel all: ${before.get(someone!)} is now called ${after.get(someone!)} (id:${someone})\n`;
  const notes = crawled.stderr.split('\n').filter((line) => line.startsWith('panel all: '));
  expect(notes.length).toBe(Math.min(6, renamed.length + suspended.length));
  const members = await read();
  const inState = (state: string) => members.filter((one) => one.state === state).map(({ restId }) => restId);
  expect(inState('renamed').toSorted()).toEqual(renamed.toSorted());
  expect(inState('unavailable').toSorted()).toEqual(suspended.toSorted());
  expect(inState('unseen')).toEqual([]);
  expect(new Map(members.map(({ restId, screenName }) => [restId, screenName]))).toEqual(
    new Map([...before, ...after]),
  );
  const shown = await runSuccessfully(['panel', 'show', 'all'], { env });
  expect(shown.stdout).toContain(change.trimEnd().replace('panel all: ', ''));
  expect(shown.stdout.match(/is unavailable: the service answered 404 on \d{4}-\d\d-\d\d/g)).toHaveLength(
    suspended.length,
  );

  // Each crawl is of the member's own id, whoever has its handle now.
  const crawls = rowsOf<{ target: string; restId: string | null; state: string }>(
    db,
    `select target, target_rest_id as restId, state from crawls where target like 'id:%' and parent_id is null`,
  );
  expect(new Set(crawls.map(({ target }) => target))).toEqual(new Set([...before.keys()].map((id) => `id:${id}`)));
  for (const { target, restId, state } of crawls) {
    const isGone = suspended.includes(target.slice(3));
    expect([target, state, restId]).toEqual([target, isGone ? 'failed' : 'complete', target.slice(3)]);
  }
  const gone = rowsOf<{ rest_id: string; last_seen_at: string; noticed_at: string }>(
    db,
    'select * from v_unavailable_accounts',
  );
  expect(gone.map(({ rest_id }) => rest_id).toSorted()).toEqual(suspended.toSorted());
  for (const { last_seen_at, noticed_at } of gone) expect(last_seen_at < noticed_at).toBe(true);
});

test('a handle that the service does not have is not added', async () => {
  const { db, env } = await serve(world);
  const [{ handle, id }] = peopleOf(world, 1) as [{ handle: string; id: string }];
  await runSuccessfully(['panel', 'create', 'stars'], { env });
  const { code, stdout, stderr } = await runCli(
    ['panel', 'add', 'stars', handle, 'nobody_of_that_name', '--crawl', '-q'],
    { env },
  );
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(
    /cannot be bound: the database has no account with the handle nobody_of_that_name\n {2}`trawl crawls show \d+` explains why/,
  );
  expect(rowsOf(db, 'select * from panel_members')).toEqual([]);
  await runSuccessfully(['panel', 'add', 'stars', handle], { env });
  expect(rowsOf(db, 'select rest_id, handle from panel_members')).toEqual([{ rest_id: id, handle }]);
});

test('a backfill and the coverage of a panel are those of its members', async () => {
  const { db, env } = await serve(world);
  const writers = rowsOf<{ id: string; handle: string }>(
    world.file,
    `select users.rest_id as id, screen_name as handle from users join tweets on author_id = users.id
     where in_reply_to_status_rest_id is null group by users.id order by count(*) desc, users.id limit 2`,
  );
  const [first, second] = writers.map(({ id }) => id) as [string, string];
  await runSuccessfully(['panel', 'create', 'stars'], { env });
  await runSuccessfully(['panel', 'add', 'stars', `id:${first}`, `id:${second}`], { env });
  const backfill = (...options: string[]) => runCli(['backfill', 'timeline', '--panel', 'stars', ...options], { env });
  const unknown = await backfill('--dry-run');
  expect(unknown).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`the creation date is unknown: id:${first}, id:${second}`),
  });

  const run = await backfill('--json', '-q', '-y');
  expect(run.code, run.stderr).toBe(0);
  const { accounts } = JSON.parse(run.stdout) as {
    accounts: { target: string; backfill: { account: { restId: string }; gaps: unknown[] } }[];
  };
  expect(accounts.map(({ target, backfill: { account, gaps } }) => [target, account.restId, gaps])).toEqual([
    [`id:${first}`, first, []],
    [`id:${second}`, second, []],
  ]);
  const stored = (file: string) =>
    rowsOf(
      file,
      `select t.rest_id as id from tweets t join users u on u.id = author_id
       where u.rest_id in (?, ?) and in_reply_to_status_rest_id is null order by 1`,
      first,
      second,
    );
  // A search also shows replies, without the fields that tell them apart.
  expect(stored(db)).toEqual(expect.arrayContaining(stored(world.file)));

  const coverage = await runJson<{
    accounts: { account: { restId: string }; intervals: unknown[] }[];
    notStored: string[];
  }>(['coverage', '--panel', 'stars'], { env });
  expect(coverage.accounts.map(({ account }) => account.restId)).toEqual([first, second]);
  expect(coverage.accounts.every(({ intervals }) => intervals.length > 0)).toBe(true);
  await runSuccessfully(['panel', 'add', 'stars', 'id:404'], { env });
  const text = await runSuccessfully(['coverage', '--panel', 'stars'], { env });
  for (const { id, handle } of writers) expect(text.stdout).toContain(`${handle} (id ${id})\n`);
  expect(text.stderr).toBe('not stored yet: id:404\n');
});

test('each run of a job crawls the members that the panel has then', async () => {
  const { db, env } = await serve(world);
  const [a, b] = peopleOf(world, 2) as [{ id: string; handle: string }, { id: string; handle: string }];
  const cwd = tempDir();
  mkdirSync(join(cwd, 'jobs'));
  writeFileSync(join(cwd, 'jobs', 'daily.yaml'), 'every: 1s\nkind: profile\ntargets: { panel: stars }\n');
  const sync = () => runCli(['schedule', 'sync'], { cwd, env });
  expect(await sync()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'jobs/daily.yaml:3:19: there is no panel stars; `trawl panel create stars` creates it.',
    ),
  });
  await runSuccessfully(['panel', 'create', 'stars'], { env });
  await runSuccessfully(['panel', 'add', 'stars', `id:${a.id}`], { env });
  const worker = startCli(['work', '--jobs', 'jobs'], { env, cwd });
  const crawled = () =>
    new Set(
      rowsOf<{ target: string }>(db, 'select target from crawls where finished_at is not null').map(
        ({ target }) => target,
      ),
    );
  await worker.waitForLine(/"msg":"schedule"/);
  await vi.waitUntil(() => crawled().size > 0, { timeout: 60_000 });
  expect(crawled()).toEqual(new Set([`id:${a.id}`]));

  await runSuccessfully(['panel', 'add', 'stars', `id:${b.id}`], { env });
  await vi.waitUntil(() => crawled().size > 1, { timeout: 60_000 });
  expect(crawled()).toEqual(new Set([`id:${a.id}`, `id:${b.id}`]));
  await runSuccessfully(['panel', 'remove', 'stars', a.handle, b.handle], { env });
  await worker.waitForLine(/the panel stars has no members/);
  worker.kill('SIGTERM');
  expect(await worker.exited).toBe(0);

  const list = await runSuccessfully(['schedule', 'list'], { env, cwd });
  expect(list.stdout).toMatch(/\ndaily +every 1 s +profile +panel stars /);
  expect(list.stdout).toContain('the panel stars has no members');
});

test('accounts that several processes add at once are members once', async () => {
  const { db, env } = await serve(world);
  await runSuccessfully(['panel', 'create', 'stars'], { env });
  const ids = Array.from({ length: 300 }, (_, i) => String(1000 + i));
  const parts = [ids.slice(0, 200), ids.slice(100), ids.toReversed()];
  const runs = await Promise.all(
    parts.map((part) =>
      runProcess(['panel', 'add', 'stars', '--from-file', writeTargets(part.map((id) => `id:${id}`)), '--json'], {
        env,
      }),
    ),
  );
  expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(runs.map(() => [0, '']));
  const added = runs.flatMap(({ stdout }) => (JSON.parse(stdout) as { added: string[] }).added);
  expect(added.toSorted()).toEqual(ids);
  expect(rowsOf(db, 'select rest_id from panel_members order by rest_id').map((row) => row['rest_id'])).toEqual(ids);
});
