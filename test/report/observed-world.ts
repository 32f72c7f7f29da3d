import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createLog } from '#base/log.ts';
import { run } from '#cli/program.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { startTwin } from '#twin/serve/http/start-twin.ts';
import { createKey } from '#twin/serve/quota/twin-keys.ts';
import { createWorld } from '#twin/world/create-world.ts';
import { stepWorld } from '#twin/world/step/step-world.ts';

/** A world, and a store with what was crawled of it every week. */
export interface ObservedWorld {
  /** The store. */
  readonly db: string;
  /** Handles: what is known of them differs. */
  readonly accounts: {
    /** All lists complete, several times. */
    readonly complete: string;
    /** Only lists that the service does not page. */
    readonly capped: string;
    /** A timeline with a gap, and an incomplete list of followers. */
    readonly gaps: string;
    /** Its lists are closed, although its counts are not 0. */
    readonly closed: string;
    /** The service answered 404 for it after it was crawled. */
    readonly gone: string;
    /** Seen as a follower, never crawled. */
    readonly neverCrawled: string;
  };
  readonly search: string;
  readonly job: string;
}

export interface ObserveOptions {
  readonly folder: string;
  readonly users: number;
  readonly weeks: number;
  /** When the first week begins for the store; by default, as in the world. */
  readonly begin?: number;
}

const HOSTILE_NAME = '<script>alert(1)</script> \u202egnp.exe \u0000\u0007 ' + 'ü'.repeat(120) + ' 👩‍👩‍👧‍👦 مرحبا';

/** Crawls a world once a week while it changes. The recorded times are moved to the weeks of the world. */
export async function observeWorld({ folder, users, weeks, begin }: ObserveOptions): Promise<ObservedWorld> {
  const file = join(folder, 'world.db');
  const db = join(folder, 'mine.db');
  using world = openDatabase(file);
  await createWorld({ db: world, users, seed: 7 });
  const { key } = createKey(world, { name: 'test', limit: 1_000_000, now: Date.now() });
  const pick = (sql: string): string => {
    const name = world.$client.prepare<[], string>(sql).pluck().get();
    if (name === undefined) throw new Error(`no account: ${sql}`);
    return name;
  };
  // What no crawl shows: an account with followers whose lists are empty.
  const closed = pick(`select screen_name from users where followers_count between 3 and 30
    and screen_name glob '[A-Za-z]*' and screen_name not glob '*[^A-Za-z0-9_]*' order by id desc limit 1`);
  world.$client.exec(`delete from follows where ${idOf(closed)} in (follower_id, followee_id)`);
  const gone = pick(`select screen_name from users where statuses_count > 5 and screen_name <> '${closed}'
    and screen_name not glob '*[^A-Za-z0-9_]*' order by followers_count desc limit 1 offset 12`);
  world.$client
    .prepare(`update users set name = ?, description = ? where id = (select follower_id from follows
      where followee_id = ${idOf('HarbourNews')} and ended_at is null order by follower_id desc limit 1)`)
    .run(HOSTILE_NAME, HOSTILE_NAME);

  await using twin = await startTwin({ file, log: createLog({ level: 'silent' }), pageSize: { 'user-tweets': 8 } });
  const env = { TRAWL_API_URL: twin.url, TRAWL_API_KEY: key, TRAWL_DB: db, TRAWL_KEY_LABEL: 'research' };
  const crawl = async (codes: readonly number[], ...args: string[]): Promise<void> => {
    const { code, stderr } = await runCommand(args, env, folder);
    if (!codes.includes(code)) throw new Error(`trawl ${args.join(' ')} ended with ${code}:\n${stderr}`);
  };

  const phases: Phase[] = [];
  let at = 0;
  for (let week = 0; week < weeks; week += 1) {
    const from = Date.now();
    await crawl([0], 'crawl', 'profile', 'HarbourNews', 'nightsky_now', 'MatchdayLive', closed, '-q');
    await crawl([0], 'crawl', 'timeline', 'HarbourNews', ...(week === weeks - 1 ? ['--full-refresh'] : []), '-q');
    await crawl([0], 'crawl', 'followers', 'HarbourNews', '-q');
    await crawl([0], 'crawl', 'replies', 'nightsky_now', '-q');
    if (week === 0) {
      await crawl([0], 'crawl', 'following', 'HarbourNews', '-q');
      await crawl([3], 'crawl', 'followers', 'MatchdayLive', '--max-pages', '1', '-q');
      await crawl([0], 'crawl', 'timeline', gone, '-q');
      await crawl([0], 'crawl', 'followers', gone, closed, '-q');
      await crawl([0], 'crawl', 'following', closed, '-q');
      await crawl([0], 'crawl', 'replies', 'HarbourNews', '-q');
    }
    if (week === 0 || week === weeks - 1)
      await crawl([3], 'crawl', 'timeline', 'MatchdayLive', '--max-pages', '1', '-q');
    if (week === weeks - 1) {
      world.$client.exec(
        `update users set rest_id = '9' || rest_id, screen_name = screen_name || '_gone' where screen_name = '${gone}'`,
      );
      await crawl([1], 'crawl', 'profile', `id:${restIdIn(db, gone)}`, '-q');
      await crawl(
        [0, 3],
        'backfill',
        'search',
        SEARCH,
        '--since',
        '2025-11-01',
        '--until',
        '2025-12-01',
        '--yes',
        '-q',
      );
    }
    const to = Date.now();
    const step = stepWorld({ db: world, days: 7, seed: week + 1 });
    world.$client
      .prepare('update users set followers_count = 5, following_count = 5 where screen_name = ?')
      .run(closed);
    at ||= begin ?? Date.parse(step.from);
    phases.push({ from, to, at: at + week * 7 * DAY + HOUR });
  }
  moveTimes(db, phases);
  using mine = openDatabase(db);
  mine.$client.exec(`
    insert into runs (id, job_name, created_at) select 900, 'newsroom', min(started_at) from crawls where kind = 'replies';
    update crawls set run_id = 900 where kind in ('replies', 'followers');
    insert into _scheduled_jobs (name, definition, schedule, scheduled_at) values ('newsroom',
      '{"name":"newsroom","kind":"replies","schedule":{"cron":"0 6 * * *","timezone":"UTC"},"targets":{"list":["nightsky_now"]},"priority":"scheduled","options":{},"purpose":"How newsrooms announce <b>corrections</b>","ethicsRef":"Board 17"}',
      '{"cron":"0 6 * * *","timezone":"UTC"}', 1767225600000);`);
  const neverCrawled = mine.$client
    .prepare<[], string>(
      `select u.screen_name from users u where u.screen_name not glob '*[^A-Za-z0-9_]*' and u.profile_at is null
         and not exists (select 1 from crawls c where c.target_rest_id = u.rest_id) order by u.id limit 1`,
    )
    .pluck()
    .get()!;
  return {
    db,
    accounts: { complete: 'HarbourNews', capped: 'nightsky_now', gaps: 'MatchdayLive', closed, gone, neverCrawled },
    search: SEARCH,
    job: 'newsroom',
  };
}

const SEARCH = 'train';
const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

const idOf = (handle: string): string => `(select id from users where screen_name = '${handle}')`;

function restIdIn(db: string, handle: string): string {
  using connection = openDatabase(db);
  return connection.$client
    .prepare<[string], string>('select rest_id from users where screen_name = ?')
    .pluck()
    .get(handle)!;
}

/** The times in which crawls ran, and the time to which they are moved. */
interface Phase {
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

/** Moves all times that a store recorded during phases, so that crawls of seconds are weeks apart. */
function moveTimes(file: string, phases: readonly Phase[]): void {
  using db = openDatabase(file);
  const columns = db.$client
    .prepare<[], { table: string; column: string }>(
      `select m.name as "table", c.name as "column" from sqlite_schema m join pragma_table_info(m.name) c
       where m.type = 'table' and m.sql not like 'create virtual%' and m.name not like 'sqlite_%'
         and c.type = 'INTEGER' and c.name glob '*_at'`,
    )
    .all();
  for (const { table, column } of columns) {
    for (const { from, to, at } of phases) {
      db.$client
        .prepare(`update "${table}" set "${column}" = "${column}" + ? where "${column}" between ? and ?`)
        .run(at - from, from, to);
    }
  }
}

/** Runs a command line in this process. */
async function runCommand(args: readonly string[], env: Readonly<Record<string, string>>, cwd: string) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const streams = { stdin: Readable.from(['']), stdout, stderr };
  const signal = new AbortController().signal;
  const exited = run(args, { env, cwd, streams, signal }).finally(() => [stdout, stderr].forEach((each) => each.end()));
  const [code, , message] = await Promise.all([exited, text(stdout), text(stderr)]);
  return { code, stderr: message };
}
