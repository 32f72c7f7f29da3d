import { mkdirSync, existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { desc } from 'drizzle-orm';
import { systemClock } from '#base/clock.ts';
import { describeError, UsageError } from '#base/errors.ts';
import { createLog } from '#base/log.ts';
import { quoteShellWord } from '#base/text.ts';
import { getConfig, resolvePath } from '#cli/context.ts';
import { crawlInProcess } from '#cli/crawl/run.ts';
import { EXIT } from '#cli/shared/common-options.ts';
import { pluralize, formatDuration, print } from '#cli/terminal/print.ts';
import { wrapProse } from '#cli/terminal/wrap.ts';
import { createCrawlSpec, type CrawlSpec } from '#service/kinds/crawl-spec.ts';
import { KIND_NAMES, type KindName } from '#service/kinds/kinds.ts';
import { tweets, settings } from '#store/schema/tables.ts';
import { type OpenDb, openDatabase } from '#store/sqlite/database.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import { startTwin } from '#twin/serve/http/start-twin.ts';
import { createKey } from '#twin/serve/quota/twin-keys.ts';
import { createWorld, type WorldSummary } from '#twin/world/create-world.ts';
import { heading, printAnswer, showChanges } from './show-changes.ts';

const QUOTA = { limit: 2000, windowMs: 15 * 60_000 };

/**
 * Creates a world, serves it with the twin, crawls it over HTTP through the queue, queries the result, and crawls it again after
 * changes.
 */
export async function runDemo(options: { dir: string; users: number; seed: number }): Promise<number> {
  const startedAt = systemClock.now();
  const dir = resolvePath(options.dir);
  const worldFile = join(dir, 'world.db');
  const file = join(dir, 'crawled.db');
  makeFolder(dir);
  removeDemoFiles([worldFile, file]);

  heading('1. A synthetic microblog');
  const made = await makeWorld(worldFile, options);
  const { world, key } = made;
  print(
    `${pluralize(world.users, 'user')}, ${pluralize(world.tweets, 'tweet')}, ${pluralize(world.follows, 'follow')} in ${worldFile}`,
  );

  heading('2. Served over HTTP by the twin, and crawled through the queue');
  await using twin = await startTwin({ file: worldFile, port: 0, log: createLog({ level: 'silent' }) });
  const quota = `${pluralize(QUOTA.limit, 'request')} in ${formatDuration(QUOTA.windowMs)}`;
  print(wrapProse(`${twin.url} serves the interface of the service; the key allows ${quota}`));
  const config = { ...getConfig(), apiUrl: twin.url, apiKey: key, keyLabel: 'demo' };
  openDemoDatabase(file).$client.close();
  const run = { db: file, concurrency: 8, raw: true };
  const code = await crawlInProcess(chooseCrawls(made), run, config);

  heading('3. Queried with SQL');
  for (const question of QUESTIONS) printAnswer(file, question);

  heading('4. Some time later');
  const laterCode =
    code !== EXIT.complete ? code : await showChanges({ worldFile, file, world, seed: options.seed, run, config });

  heading('5. Next');
  print(nextSteps(dir, world));
  print(`\nThe demo took ${formatDuration(systemClock.now() - startedAt)}.`);
  return code === EXIT.complete && laterCode === EXIT.complete ? code : EXIT.failed;
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'a file has that name' : describeError(cause);
    throw new UsageError(`cannot create the folder ${path}: ${why}`, { hint: 'Choose another with --dir.', cause });
  }
}

interface Made {
  readonly world: WorldSummary;
  readonly key: string;
  /** The tweet with the most replies. */
  readonly conversation: string | undefined;
}

async function makeWorld(file: string, options: { users: number; seed: number }): Promise<Made> {
  using db = openDemoDatabase(file);
  const world = await createWorld({ db, users: options.users, seed: options.seed });
  const { key } = createKey(db, { name: 'demo', ...QUOTA, now: systemClock.now() });
  const conversation = db
    .select({ restId: tweets.restId })
    .from(tweets)
    .orderBy(desc(tweets.replyCount))
    .limit(1)
    .get();
  return { world, key, conversation: conversation?.restId };
}

function chooseCrawls({ world, conversation }: Made): CrawlSpec[] {
  const stars = world.mostFollowed.map(({ screenName }) => screenName);
  const writers = world.mostProlific.map(({ screenName }) => screenName);
  const targets: Partial<Record<KindName, readonly (string | undefined)[]>> = {
    profile: [...stars, ...writers],
    timeline: [...stars, ...writers],
    replies: writers.slice(0, 1),
    followers: stars,
    following: stars.slice(0, 2),
    tweet: [conversation],
    community: [world.community],
    list: [world.list],
    search: world.hashtags.slice(0, 2).map((tag) => `#${tag} since:2025-01-01`),
  };
  return KIND_NAMES.flatMap((kind) =>
    (targets[kind] ?? []).flatMap((target) =>
      target === undefined ? [] : createCrawlSpec({ kind, target, priority: 'interactive' }),
    ),
  );
}

const QUESTIONS = [
  {
    question: 'Which accounts follow all three of the most followed accounts?',
    sql: `select u.screen_name, u.name, u.followers_count as followers
from follows f join users u on u.id = f.follower_id
where f.followee_id in (select s.id from users s join crawls c on c.target_rest_id = s.rest_id where c.kind = 'followers')
group by u.id having count(*) = 3 order by followers desc limit 5`,
  },
  {
    question: 'Which tweets have the most likes per follower of their author?',
    sql: `select u.screen_name as author, t.favorite_count as likes, u.followers_count as followers,
  round(1.0 * t.favorite_count / u.followers_count, 2) as per_follower, substr(t.text, 1, 33) as text
from tweets t join users u on u.id = t.author_id
where u.followers_count > 20 order by per_follower desc limit 5`,
  },
];

function nextSteps(dir: string, world: WorldSummary): string {
  const star = world.mostFollowed[0]?.screenName ?? '';
  const [crawled, source] = ['crawled.db', 'world.db'].map((name) => quoteShellWord(join(dir, name)));
  return `Run more queries:
  npx trawl sql --db ${crawled} "select name, followers_count from v_users limit 5"
  npx trawl coverage --db ${crawled} ${star}

Serve that world yourself, in one terminal:
  npx trawl twin keys create --db ${source}
  npx trawl twin serve --db ${source}
and crawl it in another, with the key that \`twin keys create\` printed:
  export TRAWL_API_URL=http://127.0.0.1:8801 TRAWL_DB=mine.db
  export TRAWL_API_KEY=trawl_...
  npx trawl crawl followers ${star}
Advance it by a week, and crawl again to see the changes that trawl detects:
  npx trawl twin world step --db ${source} --days 7

To crawl the real service, set TRAWL_API_URL and TRAWL_API_KEY.`;
}

/** A row of `_settings` that marks the databases of a demo. A file without it belongs to the user. */
const MARK = { key: 'made_by', value: 'trawl demo' } as const;

/** Suffixes of the files that SQLite and the twin keep beside a database. */
const SUFFIXES = ['-wal', '-shm', '-journal', '-quota', '-quota-wal', '-quota-shm', '-quota-journal'];

/** Creates a marked database of a demo. */
function openDemoDatabase(file: string): OpenDb {
  const db = openDatabase(file);
  db.insert(settings).values(MARK).onConflictDoNothing().run();
  return db;
}

/**
 * Removes the databases of an earlier demo. @throws UsageError if one of the files was not created by a demo:
 * then nothing is removed.
 */
function removeDemoFiles(files: readonly string[]): void {
  for (const file of files) {
    const found = [file, ...SUFFIXES.map((suffix) => file + suffix)].find((path) => existsSync(path));
    if (found !== undefined && !isOfDemo(file)) {
      throw new UsageError(`${found} exists and was not created by a demo of this version: nothing was replaced`, {
        hint: 'Choose another folder with --dir, or move that file away.',
      });
    }
  }
  for (const file of files) for (const suffix of ['', ...SUFFIXES]) rmSync(file + suffix, { force: true });
}

function isOfDemo(file: string): boolean {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return false;
  let client: Database.Database | undefined;
  try {
    client = openConnection(file, { readonly: true, fileMustExist: true });
    return client.prepare('select value from _settings where key = ?').pluck().get(MARK.key) === MARK.value;
  } catch {
    // Not a database, or without such a table.
    return false;
  } finally {
    client?.close();
  }
}
