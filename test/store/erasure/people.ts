import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createCrawlSpec } from '#service/kinds/crawl-spec.ts';
import { type Db, openDatabase } from '#store/sqlite/database.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import { openStore } from '#store/store.ts';
import { createWorld } from '#twin/world/create-world.ts';
import { serve } from '../../e2e/support.ts';
import { runCli, runSuccessfully } from '../../support/cli.ts';
import { makeOnce } from '../../support/make-once.ts';
import { createStoreFile } from '../../support/store-file.ts';
import { tempFile } from '../../support/temp.ts';

/** The people of a world who ask to be forgotten, and a store in which every kind of crawl has met them. */

/** A musician whom many mention, and who changes handle, name and biography; and somebody whose script has no spaces. */
const PEOPLE = ['sidetwo', 'the_misaki'] as const;
export const NEW_HANDLE = 'SideTwo_live';
const NEW_NAME = 'Side Two On Tour';
const NEW_BIOGRAPHY = 'Forty towns, one van, zero sleep.';

/** What identifies the people, read from the world and not from the store. */
export interface Traces {
  readonly restIds: readonly string[];
  readonly handles: readonly string[];
  readonly names: readonly string[];
  /** Those that nobody else has. */
  readonly biographies: readonly string[];
  readonly tweetIds: readonly string[];
  /** Texts that are nobody else's, of at least 20 characters. */
  readonly texts: readonly string[];
}

const STORE = 'mine.db';
const TRACES = 'traces.json';
const crawlOnce = () => makeOnce('people', crawlPeople);

export const people = {
  /** A copy of the crawled store. */
  async copy(): Promise<string> {
    const file = tempFile(STORE);
    copyFileSync(join(await crawlOnce(), STORE), file);
    return file;
  },
  traces: async () => JSON.parse(readFileSync(join(await crawlOnce(), TRACES), 'utf8')) as Traces,
};

const quote = (values: readonly string[]): string => values.map((value) => `'${value}'`).join();

function readTraces(db: Db): Traces {
  const read = (sql: string): string[] => db.$client.prepare<[], string>(sql).pluck().all();
  const chosen = `select id from users where screen_name in (${quote(PEOPLE)})`;
  return {
    restIds: read(`select rest_id from users where id in (${chosen})`),
    handles: [...PEOPLE, NEW_HANDLE],
    names: [...read(`select name from users where id in (${chosen})`), NEW_NAME],
    biographies: [
      ...read(`select description from users where id in (${chosen})
        and description not in (select description from users where id not in (${chosen}))`),
      NEW_BIOGRAPHY,
    ],
    tweetIds: read(`select rest_id from tweets where author_id in (${chosen})`),
    texts: read(
      `select text from tweets where author_id in (${chosen}) and length(text) >= 20
       and text not in (select text from tweets where author_id not in (${chosen}))`,
    ),
  };
}

async function crawlPeople(folder: string): Promise<void> {
  const [file, db] = [join(folder, 'world.db'), join(folder, STORE)];
  const world = { file, db: openDatabase(createStoreFile(file)) };
  await createWorld({ db: world.db, users: 120, seed: 7 });
  const traces = readTraces(world.db);
  writeFileSync(join(folder, TRACES), JSON.stringify(traces));
  const { env } = await serve(world, { pageSize: { 'user-tweets': 10, followers: 20 } });
  const run = async (code: number, ...args: string[]): Promise<void> => {
    const result = await runCli([...args, '--db', db, '--quiet'], { env });
    expect(result, result.stderr).toMatchObject({ code });
  };
  const crawl = (...args: string[]): Promise<void> => run(0, 'crawl', ...args);
  const queue = (...args: string[]): Promise<void> => run(0, 'enqueue', ...args, '--yes');
  const change = (sql: string): void => void world.db.$client.exec(sql);
  const one = (sql: string): string => world.db.$client.prepare<[], string>(sql).pluck().get()!;
  const [music] = PEOPLE;
  const musician = `(select id from users where rest_id = '${traces.restIds[0]!}')`;
  change(`insert into community_tweets (community_id, tweet_id, first_seen_at)
    select 1, id, 1 from tweets where author_id = ${musician} order by created_at desc limit 5`);

  // Facts about them wait to be shipped.
  await openStore(db)[Symbol.asyncDispose]();
  await runSuccessfully(['lake', 'add', tempFile('lake'), '--db', db]);
  await queue('profile', ...PEOPLE);
  await queue('timeline', ...PEOPLE);
  await queue('replies', ...PEOPLE, 'HarbourNews', 'SlowFox95', 'explain_plan');
  const stranger =
    one(`select screen_name from users where id not in (select followee_id from follows where follower_id in
    (select id from users where screen_name in (${quote(PEOPLE)}))) and id > 5 and followers_count > 0 order by id limit 1`);
  await queue('followers', ...PEOPLE, 'HarbourNews', 'nightsky_now', 'MatchdayLive', stranger);
  await queue(
    'following',
    ...PEOPLE,
    one(`select u.screen_name from follows f join users u on u.id = f.follower_id
    where f.followee_id = ${musician} order by u.followers_count, u.id limit 1`),
  );
  await queue(
    'tweet',
    one(`select rest_id from tweets where author_id = ${musician} order by reply_count desc, id limit 1`),
  );
  await queue(
    'tweet',
    one(`select in_reply_to_status_rest_id from tweets where author_id = ${musician}
    and in_reply_to_status_rest_id in (select rest_id from tweets) limit 1`),
  );
  await queue('community', ...world.db.$client.prepare<[], string>('select rest_id from communities').pluck().all());
  await queue('list', ...world.db.$client.prepare<[], string>('select rest_id from lists').pluck().all());
  await queue('search', `from:${music}`, `@${music}`, '#nightsky', 'music');
  await queue('followers', 'explain_plan', '--then', 'profile', '--max-targets', '60');
  await run(0, 'work', '--exit-when-idle');
  await run(3, 'crawl', 'timeline', '_matthias7', music, '--max-pages', '1', '--full-refresh');
  await runSuccessfully(['panel', 'create', 'stage', '--db', db, '--description', `people around ${music}`]);
  await runSuccessfully(['panel', 'add', 'stage', ...PEOPLE, 'HarbourNews', '--note', `knows @${music}`, '--db', db]);

  // The musician is renamed, and one of the tweets is gone.
  change(`update users set screen_name = '${NEW_HANDLE}', name = '${NEW_NAME}', description = '${NEW_BIOGRAPHY}'
      where id = ${musician};
    create temp table gone as select id from tweets where author_id = ${musician} and in_reply_to_status_rest_id is null
      order by created_at desc limit 1 offset 3;
    delete from media where tweet_id in (select id from gone); delete from tweets where id in (select id from gone);
    update users set description = description || ' Ex-${music}, now with Side Two On Tour.' where screen_name = 'HarbourNews';`);
  await crawl('profile', NEW_HANDLE, 'HarbourNews');
  await crawl('timeline', NEW_HANDLE, '--full-refresh');
  await crawl('followers', 'HarbourNews');
  await addRecords(db, traces);
  world.db.$client.close();
}

/** Records that crawls of this world do not make: an unfinished crawl, a job, an alert, errors, rejected items, statistics. */
async function addRecords(db: string, { restIds }: Traces): Promise<void> {
  {
    await using store = openStore(db);
    const specs = [`id:${restIds[0]!}`, 'HarbourNews'].map((target) =>
      createCrawlSpec({ kind: 'timeline', target, options: { fullRefresh: true }, priority: 'backfill' }),
    );
    await store.write.openCrawls(specs, Date.now());
  }
  const client = openConnection(db);
  const job = {
    name: 'press',
    kind: 'timeline',
    targets: { list: ['HarbourNews', PEOPLE[0]] },
    priority: 'scheduled',
    options: {},
    schedule: { every: '1d' },
  };
  client
    .prepare(
      "insert into _scheduled_jobs (name, definition, schedule, scheduled_at, last_run_error) values ('press', ?, '{}', 1, ?)",
    )
    .run(JSON.stringify(job), `"${PEOPLE[0]}" is unknown`);
  client.exec(`
    insert into _job_accounts values ('press', '${PEOPLE[0]}', '${restIds[0]!}', 1), ('press', 'harbournews', '1', 1);
    insert into _alerts values ('job_failed', 'press', 1, 1, '{"failure":{"target":"${PEOPLE[0]}"}}', 0, null);
    insert into rejects (crawl_id, endpoint, path, reason, sample, rejected_at) values
      (1, 'search', '/data/3', 'no id', '{"screenName":"${PEOPLE[0]}"}', 1);
    insert into _dropped_fields values (1, 'search', 'user.name', 'is no text', 1, 1, 1, '{"name":"Side Two"}');
    insert into _drift values ('search', 'user.nick', 1, 1, 1, '"${PEOPLE[1]}"') on conflict do nothing;
    update requests set error = 'no answer for ${NEW_HANDLE}' where id = 1;
    update crawls set error = 'stopped at ${restIds[1]!}' where id = (select max(id) from crawls);
    analyze`);
  client.pragma('wal_checkpoint(truncate)');
  client.close();
}
