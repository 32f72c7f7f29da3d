import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { type Db, openDatabase } from '#store/sqlite/database.ts';
import { createWorld } from '#twin/world/create-world.ts';
import { peopleOf, serve, type World } from '../e2e/support.ts';
import { runCli, runSuccessfully } from '../support/cli.ts';
import { makeOnce } from '../support/make-once.ts';
import { createStoreFile } from '../support/store-file.ts';
import { createTempDir } from '../support/temp.ts';

/** A world, and a store with all that saved queries need: crawled over HTTP from the world, which changes in between. */
export interface CrawledStore {
  readonly world: World;
  /**
   * Copies the world and the store, which the first test file of a run makes, at the first call, in a test. Returns the file of
   * the store.
   */
  file(): Promise<string>;
  /** The rows of a query on the world. */
  ofWorld<T>(sql: string, ...values: unknown[]): T[];
  /** The tweet of HarbourNews that the service says has the most replies. */
  mostAnswered(): string;
}

/** A query on the world: the tweets of nightsky_now that are edited. */
export const EDITED = `select id from tweets where author_id = (select id from users where screen_name = 'nightsky_now')
  and in_reply_to_status_rest_id is null order by created_at desc limit 2 offset 4`;

export function withCrawledStore(): CrawledStore {
  const directory = createTempDir();
  const [worldFile, mine] = FILES.map((name) => join(directory.path, name)) as [string, string];
  let opened: Db | undefined;
  const world = {
    file: worldFile,
    get db() {
      return (opened ??= openDatabase(worldFile));
    },
  };
  afterAll(() => {
    opened?.$client.close();
    directory[Symbol.dispose]();
  });
  let copied: Promise<string> | undefined;
  const copy = async (): Promise<string> => {
    const shared = await makeOnce('crawled', crawlInto);
    for (const name of FILES) copyFileSync(join(shared, name), join(directory.path, name));
    return mine;
  };
  return {
    world,
    file: () => (copied ??= copy()),
    ofWorld: (sql, ...values) => readWorld(world, sql, ...values),
    mostAnswered: () => mostAnsweredIn(world),
  };
}

const FILES = ['world.db', 'mine.db'];

async function crawlInto(folder: string): Promise<void> {
  const [file, mine] = FILES.map((name) => join(folder, name)) as [string, string];
  const db = openDatabase(createStoreFile(file));
  await createWorld({ db, users: 120, seed: 7 });
  await crawl(mine, { file, db });
  db.$client.close();
}

const readWorld = <T>({ db }: World, sql: string, ...values: unknown[]): T[] =>
  db.$client.prepare(sql).all(...values) as T[];

const mostAnsweredIn = (world: World): string =>
  readWorld<{ id: string }>(
    world,
    `select t.rest_id as id from tweets t join users u on u.id = t.author_id where u.screen_name = 'HarbourNews'
     order by reply_count desc, t.id limit 1`,
  )[0]!.id;

async function crawl(db: string, world: World): Promise<void> {
  const ofWorld = <T>(sql: string): T[] => readWorld<T>(world, sql);
  const { env } = await serve(world, { pageSize: { 'user-tweets': 4 } });
  const run = async (code: number, ...args: string[]): Promise<void> => {
    const result = await runCli(['crawl', ...args, '--db', db, '--quiet'], { env });
    expect(result, result.stderr).toMatchObject({ code });
  };
  const queue = async (...args: string[]): Promise<void> =>
    void (await runSuccessfully(['enqueue', ...args, '--db', db, '--quiet', '--yes'], { env }));
  /** Runs all that is queued. */
  const work = (...args: string[]) =>
    runSuccessfully(['work', ...args, '--exit-when-idle', '--db', db, '--quiet'], { env });
  const change = (sql: string): void => void world.db.$client.exec(sql);
  const people = peopleOf(world, 40).map(({ id }) => `id:${id}`);
  await queue('replies', ...people);
  await queue('followers', 'HarbourNews', 'nightsky_now');
  await queue('following', 'HarbourNews');
  await work();
  await fillPanel(db, ofWorld);
  change(`update users set followers_count = followers_count + 3;
    update users set screen_name = screen_name || '_' where id = (select max(follower_id) from follows where followee_id = 1)`);
  await run(0, 'followers', 'HarbourNews');
  change(`update follows set ended_at = 1 where id = (select max(id) from follows where followee_id = 1);
    insert into follows (followee_id, follower_id, first_seen_at, last_seen_at)
      select 1, min(id), 1, 1 from users where id > 1 and id not in (select follower_id from follows where followee_id = 1);
    update users set followers_count = followers_count - 3 where screen_name = 'HarbourNews'`);
  await run(0, 'followers', 'HarbourNews');
  await run(0, 'followers', 'HarbourNews');
  await run(0, 'timeline', 'nightsky_now');
  change(`create temp table gone as select id from tweets where author_id = (select id from users where screen_name = 'nightsky_now') and in_reply_to_status_rest_id is null order by created_at desc limit 1 offset 2;
    delete from media where tweet_id in (select id from gone); delete from tweets where id in (select id from gone);
    update tweets set text = 'EDITED ' || text where id in (${EDITED})`);
  await run(0, 'timeline', 'nightsky_now', '--full-refresh');
  await run(0, 'profile', 'HarbourNews', 'nightsky_now');
  change(`update users set location = 'Elsewhere', url = 'https://example.org/new',
    profile_image_url = 'https://example.org/new.jpg' where screen_name = 'HarbourNews'`);
  await run(0, 'profile', 'HarbourNews');
  await queue('tweet', mostAnsweredIn(world));
  await queue('search', '#nightsky', '#nowplaying');
  await queue('followers', 'MatchdayLive', '--max-pages', '1');
  await work();
  const range = ['--since', '2024-01-01', '--until', '2026-01-01'];
  for (const search of ['#nightsky', '#nowplaying'])
    await runSuccessfully(['backfill', 'search', search, ...range, '--db', db, '--quiet', '--yes'], { env });
  const [other] = ofWorld<{ id: string }>(
    `select u.rest_id as id from users u join tweets t on t.author_id = u.id
     where u.id not in (select id from users order by id limit 40) group by u.id order by count(*) desc, u.id limit 1`,
  );
  // The job `press`.
  using jobs = createTempDir();
  const timelines = `every: 1d\nkind: timeline\ntargets: [nightsky_now, id:${other!.id}]\n`;
  writeFileSync(join(jobs.path, 'press.yaml'), timelines);
  await work('--jobs', jobs.path);
  await run(3, 'timeline', 'HarbourNews', '--max-pages', '1');
  // The service has this account under another id and another handle.
  const [gone] = ofWorld<{ id: string }>(
    `select rest_id as id from users where id in (select follower_id from follows where followee_id = 1)
     order by (select count(*) from tweet_mentions where screen_name = lower(users.screen_name)), id limit 1`,
  );
  world.db.$client
    .prepare("update users set rest_id = '9' || rest_id, screen_name = screen_name || '_gone' where rest_id = ?")
    .run(gone!.id);
  await run(1, 'profile', `id:${gone!.id}`);
  // Another one comes back.
  const [away] = ofWorld<{ id: string }>("select rest_id as id from users where screen_name = 'MatchdayLive'");
  change(`update users set rest_id = '9' || rest_id, screen_name = 'away' where rest_id = '${away!.id}'`);
  await run(1, 'profile', `id:${away!.id}`);
  change(`update users set rest_id = '${away!.id}', screen_name = 'MatchdayLive' where screen_name = 'away'`);
  await run(0, 'profile', `id:${away!.id}`);
}

/** A panel of two accounts that post, and of one that is renamed later. */
async function fillPanel(db: string, ofWorld: CrawledStore['ofWorld']): Promise<void> {
  const [renamed] = ofWorld<{ id: string }>(
    'select rest_id as id from users where id = (select max(follower_id) from follows where followee_id = 1)',
  );
  const accounts = ['HarbourNews', 'nightsky_now', `id:${renamed!.id}`];
  await runSuccessfully(['panel', 'create', 'newsroom', '--db', db]);
  await runSuccessfully(['panel', 'add', 'newsroom', ...accounts, '--note', 'press', '--db', db]);
}
