import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openConnection } from '#store/sqlite/driver.ts';
import { runCli, runJson, runSuccessfully, spawnCli, startCli } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';
import { gate, rowsOf, serve, type Service, valueOf, withWorld } from './support.ts';

const world = withWorld(120, 9);
const DAYS = { since: '2025-03-01', until: '2025-09-01' };
const SPAN = ['--since', DAYS.since, '--until', DAYS.until];
const IN_SPAN = `t.created_at >= unixepoch('${DAYS.since}') * 1000 and t.created_at < unixepoch('${DAYS.until}') * 1000`;

/** The author of the most originals in the span. */
const writer = (): string =>
  rowsOf<{ handle: string }>(
    world.file,
    `select screen_name as handle from tweets t join users u on u.id = author_id
     where ${IN_SPAN} and in_reply_to_status_rest_id is null group by author_id order by count(*) desc limit 1`,
  )[0]!.handle;

/** The originals of an account in the span, without those of saturated days. */
const written = (file: string, handle: string, without: readonly Stretch[] = []): string[] =>
  rowsOf<{ id: string; at: number }>(
    file,
    `select t.rest_id as id, t.created_at as at from tweets t join users u on u.id = author_id
     where screen_name = ? and in_reply_to_status_rest_id is null and ${IN_SPAN} order by 1`,
    handle,
  )
    .filter(({ at }) => !without.some(({ older_at, newer_at }) => at >= older_at && at < newer_at))
    .map(({ id }) => id);

interface Stretch {
  readonly older_at: number;
  readonly newer_at: number;
}
const saturatedOf = (file: string): Stretch[] =>
  rowsOf(file, "select older_at, newer_at from gaps where kind = 'search' and reason = 'saturated' order by 1");

/** Moves the start of all crawls back by an hour: what was crawled less than a minute ago is up to date. */
function startEarlier(file: string): void {
  const db = openConnection(file);
  db.prepare('update crawls set started_at = started_at - 3600000').run();
  db.close();
}

const countOf = ({ asked }: Service, endpoint: string): number =>
  asked.filter((one) => one.endpoint === endpoint).length;

test('a backfill of an account reads its timeline and searches nothing that this covers', async () => {
  const handle = writer();
  const service = await serve(world, { pageSize: 50 });
  const { db, env } = service;
  const command = ['backfill', 'timeline', handle, ...SPAN];

  const plan = await runCli([...command, '--dry-run'], { env });
  expect(plan).toMatchObject({ code: 0, stderr: '' });
  expect([db, ':memory:'].filter((file) => existsSync(file))).toEqual([]);
  expect(plan.stdout).toMatch(/^unknown:\n {2}2025-03-01 to 2025-09-01\ncrawl of the timeline.*: at least 1 request\n/);
  expect(service.asked).toEqual([]);

  expect(await runCli(command, { env })).toMatchObject({ code: 0, stdout: expect.stringContaining('complete:') });
  expect(written(db, handle)).toEqual(written(world.file, handle));
  expect(countOf(service, 'search')).toBe(0);

  const before = service.asked.length;
  const again = await runCli(command, { env });
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing left to do') });
  expect(service.asked).toHaveLength(before);
});

test('a gap that is shorter than a minute is planned, and shown with its length', async () => {
  const handle = writer();
  const { env } = await serve(world);
  await runSuccessfully(['crawl', 'profile', handle, '-q'], { env });
  for (const what of [
    ['search', 'moon'],
    ['timeline', handle],
  ]) {
    const { stdout } = await runSuccessfully(['backfill', ...what, '--since', '5s', '--dry-run'], { env });
    const bounds = stdout.split('\n').flatMap((line) => [...line.matchAll(/^ +(\S.*\S) to (\S.*)$/g)]);
    expect(bounds, stdout).not.toEqual([]);
    for (const [, from, to] of bounds) expect(to).not.toBe(from);
  }
});

test('a plan shows the creation of the account and the end of its timeline, and uses coverage up to the start of the crawl', async () => {
  const handle = writer();
  const { db, env } = await serve(world, { pageSize: 50 });
  await runSuccessfully(['crawl', 'timeline', handle, '-q'], { env });
  startEarlier(db);
  const { created, oldest, started } = rowsOf<{ created: number; oldest: number; started: number }>(
    db,
    `select created_at as created, (select oldest_at from coverage) as oldest,
       (select started_at from crawls) as started from users where screen_name = ?`,
    handle,
  )[0]!;
  const command = ['backfill', 'timeline', handle, '--since', '2005-01-01', '--dry-run'];
  const { stdout } = await runCli(command, { env });
  const born = new Date(created).toISOString().slice(0, 10);
  const end = new Date(oldest).toISOString().slice(0, 16).replace('T', ' ');
  expect(stdout).toMatch(new RegExp(`^complete:\\n  ${born} to .*\\nthe account was created on ${born}\\n`));
  expect(stdout).toContain(
    `the timeline ends at ${end}; services truncate lists, so older tweets are searched as well\n`,
  );
  expect(await runJson(command, { env })).toMatchObject({
    account: { createdAt: new Date(created).toISOString() },
    listEndAt: new Date(oldest).toISOString(),
    gaps: [{ from: new Date(started).toISOString() }],
  });
  // Older tweets than the list shows need no crawl of it.
  const until = new Date(oldest + 1).toISOString();
  expect(await runJson([...command, '--until', until], { env })).toMatchObject({ timelineCrawl: null });
});

test("the part below the timeline's last page is searched, and remains a gap", async () => {
  const handle = writer();
  // Its cursors are dead after two pages.
  const service = await serve(world, {
    pageSize: { 'user-tweets': 5, search: 8 },
    faults: { plan: [{ fault: 'refuse-cursor', endpoints: ['user-tweets'], after: 2 }], seed: 1 } as never,
  });
  const { db, env } = service;
  const command = ['backfill', 'timeline', handle, ...SPAN];

  const first = await runCli([...command, '--json'], { env });
  const { crawls, backfill } = JSON.parse(first.stdout);
  expect(first.code).toBe(3);
  expect(crawls[0]).toMatchObject({ kind: 'timeline', state: 'partial', reason: 'cursor_refused' });
  const hidden = saturatedOf(db);
  // A search does not say which tweets are replies: there are more.
  const stored = new Set(written(db, handle));
  expect(written(world.file, handle, hidden).filter((id) => !stored.has(id))).toEqual([]);
  expect(hidden.length).toBeLessThan(20);

  // Search made nothing complete.
  expect(backfill).toMatchObject({ complete: [], gaps: [{ from: '2025-03-01T00:00:00.000Z' }] });
  expect(valueOf(db, "select count(*) from coverage where kind <> 'timeline'")).toBe(0);
  expect(
    valueOf(
      db,
      `select count(*) from coverage where oldest_at < unixepoch('${DAYS.until}') * 1000 or list_end is not null`,
    ),
  ).toBe(0);
  const coverage = await runCli(['coverage', handle], { env });
  expect(coverage.stdout).toMatch(/ gap: the service refused the cursor.*, searched from 2025-03-01 \(crawl 1\)$/m);

  const before = service.asked.length;
  const again = await runCli(command, { env });
  expect(again).toMatchObject({ code: 3, stdout: expect.stringContaining('nothing left to do') });
  expect(service.asked).toHaveLength(before);
});

test('a crawl without its first page does not cover the time since the previous one (invariant 5)', async () => {
  const handle = writer();
  const { db, env } = await serve(world, { pageSize: 50 });
  const command = ['backfill', 'timeline', handle, '--since', DAYS.since];
  await runSuccessfully(command, { env });
  // For the store, the handle belongs to another account: the only request is spent on its look-up.
  const other = openConnection(db);
  other.exec(`update users set screen_name = 'somebody' where screen_name = '${handle}'`);
  other.close();
  const spent = await runCli([...command, '--max-requests', '1', '--json'], { env });
  expect({ code: spent.code, ...JSON.parse(spent.stdout) }).toMatchObject({
    code: 3,
    crawls: [{ state: 'partial', reason: 'max_requests', pages: 0 }],
    backfill: { gaps: [{ from: expect.any(String), to: expect.any(String) }] },
  });
});

test('a search with few results does not determine the page size', async () => {
  const [lone] = rowsOf<{ handle: string; day: string; next: string }>(
    world.file,
    `select screen_name as handle, date(created, 'unixepoch') as day, date(created, 'unixepoch', '+1 day') as next
     from (select author_id, min(t.created_at) / 1000 as created from tweets t where ${IN_SPAN}
           group by author_id, t.created_at / 86400000 having count(*) = 1)
     join users u on u.id = author_id where (select count(*) from tweets where author_id = u.id) >= 20 limit 1`,
  );
  const { env } = await serve(world);
  await runSuccessfully(['crawl', 'search', 'nobodysaysthis', '-q'], { env });
  const day = ['--since', lone!.day, '--until', lone!.next];
  const { code, stdout } = await runCli(['backfill', 'search', `from:${lone!.handle}`, ...day, '--json'], { env });
  expect({ code, document: JSON.parse(stdout) }).toMatchObject({ code: 0, document: { backfill: { saturated: [] } } });
});

test('a search that is killed repeatedly resumes, and finds all tweets except those of saturated days', async () => {
  const db = tempFile('killed.db');
  const KILLED = [7, 30];
  let killed = 0;
  let reached = gate();
  const service = await serve(world, {
    pageSize: { search: 10 },
    onAsked({ n }) {
      if (n === KILLED[killed]) reached.open();
    },
  });
  const env = { ...service.env, TRAWL_DB: db };
  const command = ['backfill', 'search', 'the', ...SPAN, '--concurrency', '2', '--json'];
  for (; killed < KILLED.length; reached = gate()) {
    const run = spawnCli(command, { env });
    await Promise.race([reached.opened, run.exited]);
    run.kill('SIGKILL');
    await run.exited;
    killed++;
  }
  const rest = await runCli(command, { env });
  const { crawls, unfinished, backfill } = JSON.parse(rest.stdout);
  expect(unfinished).toBe(0);
  expect(crawls.filter(({ state }: { state: string }) => state === 'failed')).toEqual([]);

  const hidden = saturatedOf(db);
  expect(backfill).toMatchObject({ query: 'the', missing: [], saturated: { length: expect.any(Number) } });
  expect(rest.code).toBe(hidden.length > 0 ? 3 : 0);
  const matching = (file: string): string[] =>
    rowsOf<{ id: string; at: number }>(
      file,
      `select t.rest_id as id, t.created_at as at from tweets_fts f join tweets t on t.id = f.rowid
       where tweets_fts match 'the' and ${IN_SPAN} order by 1`,
    )
      .filter(({ at }) => !hidden.some(({ older_at, newer_at }) => at >= older_at && at < newer_at))
      .map(({ id }) => id);
  expect(matching(db)).toEqual(matching(world.file));
  expect(matching(db).length).toBeGreaterThan(50);
  // A kill costs what was under way, and the windows of all runs are one family.
  const searches = service.asked.map(({ parameters }) => parameters['rawQuery']);
  expect(searches.length - new Set(searches).size).toBeLessThanOrEqual(2 * KILLED.length);
  expect(valueOf(db, "select count(*) from crawls where parent_id is null and options <> '{}'")).toBe(1);

  const before = service.asked.length;
  const again = await runCli(command.slice(0, -1), { env });
  expect(again).toMatchObject({ code: rest.code, stdout: expect.stringContaining('nothing left to do') });
  expect(again.stdout).toContain('searched for the (sorted by relevance, so nothing is proven complete):');
  expect(service.asked).toHaveLength(before);
  // A longer time is only asked for as far as it is longer.
  const span = ['--since', '2025-02-20', '--until', '2025-09-03'];
  expect(await runJson(['backfill', 'search', 'the', ...span, '--dry-run'], { env })).toMatchObject({
    missing: [
      { from: '2025-09-01T00:00:00.000Z', to: '2025-09-03T00:00:00.000Z' },
      { from: '2025-02-20T00:00:00.000Z', to: '2025-03-01T00:00:00.000Z' },
    ],
  });
});

test('an interrupted backfill keeps its windows, and a worker continues them', async () => {
  const { db, env } = await serve(world, { limit: 12, windowMs: 60_000, pageSize: { search: 10 } });
  const keys = (await serve(world, { pageSize: { search: 10 } })).env;

  // It is stopped while it waits for the quota.
  const stopped = startCli(['backfill', 'search', 'the', ...SPAN], { env });
  await stopped.waitForLine(/paused: low quota/);
  stopped.kill('SIGINT');
  expect(await stopped.exited).toBe(130);
  expect(stopped.lines.join('\n')).not.toContain('\n\n\n');
  const left = valueOf(db, 'select count(*) from crawls where finished_at is null');
  expect(left).toBeGreaterThan(1);
  const plan = await runCli(['backfill', 'search', 'the', ...SPAN, '--dry-run'], { env });
  expect(plan.stdout).toContain(`${left} unfinished searches to resume\n`);
  const again = startCli(['backfill', 'search', 'the', ...SPAN], { env });
  expect(await again.waitForLine(/^resuming/)).toBe(`resuming ${left} unfinished crawls`);
  again.kill('SIGINT');
  await again.exited;

  const worker = startCli(['work'], { env: { ...keys, TRAWL_DB: db } });
  await expect.poll(() => valueOf(db, 'select count(*) from crawls where finished_at is null')).toBe(0);
  worker.kill('SIGINT');
  await worker.exited;
  const done = await runCli(['backfill', 'search', 'the', ...SPAN], { env: { ...keys, TRAWL_DB: db } });
  expect(done.stdout).toMatch(/^nothing left to do\nsearched for the .*\n {2}2025-03-01 to 2025-09-01$/m);
});

test('a backfill without --since goes back to the creation of the account', async () => {
  const handle = writer();
  const created = valueOf(world.file, 'select created_at from users where screen_name = ?', handle);
  const from = `${new Date(created).toISOString().slice(0, 10)}T00:00:00.000Z`;
  const { asked, env } = await serve(world, { pageSize: 50 });
  const command = ['backfill', 'timeline', handle, '--json'];
  expect(await runCli([...command, '--dry-run'], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`\`trawl crawl profile ${handle}\``),
  });
  expect(asked).toEqual([]);
  const { code, stdout } = await runCli(command, { env });
  expect({ code, document: JSON.parse(stdout) }).toMatchObject({
    code: 0,
    document: {
      backfill: {
        complete: [{ from }],
        gaps: [],
      },
    },
  });
  expect(await runJson([...command, '--dry-run'], { env })).toMatchObject({ since: from });
});

test.each([
  [['search', 'moon since:2025-01-01', ...SPAN], 'the search string contains since: or until:'],
  [['search', 'moon', ...SPAN, '--window', '36h'], '--window must be a number of whole days, such as 7d'],
])('backfill %j is refused: %s', async (args, message) => {
  const { code, stderr } = await runCli(['backfill', ...args]);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(`trawl: ${message}`) });
});
