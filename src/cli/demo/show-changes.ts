import { openQuery } from '#analysis/sql/sql-query.ts';
import { type CrawlRunOptions, crawlInProcess, crawlSilently } from '#cli/crawl/run.ts';
import { EXIT } from '#cli/shared/common-options.ts';
import { readStore } from '#cli/shared/existing-store.ts';
import { pluralize, print } from '#cli/terminal/print.ts';
import { BOLD, hasStyles } from '#cli/terminal/style.ts';
import { wrapProse } from '#cli/terminal/wrap.ts';
import type { Config } from '#config.ts';
import { formatAsTable } from '#files/export/formats/table-format.ts';
import { toResultSet } from '#files/export/result-set.ts';
import { createCrawlSpec, type CrawlSpec } from '#service/kinds/crawl-spec.ts';
import { isSuccessState } from '#service/kinds/decide-end.ts';
import type { CrawlOptions, KindName } from '#service/kinds/kinds.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import type { WorldSummary } from '#twin/world/create-world.ts';
import { stepWorld, type WorldStep } from '#twin/world/step/step-world.ts';

/** Returns the length of the step in days: long enough to change the crawled accounts even in a small world. */
const chooseDays = (users: number): number => 30 * Math.max(1, Math.ceil(200 / users));

interface SecondCrawl {
  readonly worldFile: string;
  /** The store of the crawls. */
  readonly file: string;
  readonly world: WorldSummary;
  readonly seed: number;
  readonly run: CrawlRunOptions;
  readonly config: Config;
}

const CHANGES: readonly (Question & { readonly name: string; readonly count: string })[] = [
  {
    name: 'unfollow',
    question: 'Who unfollowed one of the most followed accounts?',
    count: "select count(*) from v_follow_changes where change = 'went' and cause <> 'account gone'",
    sql: `select follower, followee, follower_rest_id from v_follow_changes
where change = 'went' and cause <> 'account gone' order by latest_at desc, follower limit 3`,
  },
  {
    name: 'deletion',
    question: 'Which tweets were deleted?',
    count: "select count(*) from v_deleted_tweets where state = 'deleted'",
    sql: `select author, substr(text, 1, 40) as text, created_at from v_deleted_tweets
where state = 'deleted' order by created_at desc limit 3`,
  },
  {
    name: 'rename',
    question: 'Which accounts have a new handle?',
    count: 'select count(*) from v_handle_periods where valid_to is not null',
    sql: `select h.screen_name as earlier_handle, u.screen_name as handle, u.name
from v_handle_periods h join v_users u on u.rest_id = h.rest_id
where h.valid_to is not null order by u.followers_count desc limit 3`,
  },
];

/** Advances the served world, crawls it again, and prints the detected changes. Returns the exit code. */
export async function showChanges({ worldFile, file, world, seed, run, config }: SecondCrawl): Promise<number> {
  const step = takeStep(worldFile, chooseDays(world.users), seed);
  const { tweets, unfollows, deletions, renames } = step.changes;
  print(
    wrapProse(
      `The world advanced by ${pluralize(step.days, 'day')} while it was served: ${pluralize(tweets.length, 'new tweet')}, ` +
        `${pluralize(unfollows.length, 'unfollow')}, ${pluralize(deletions.length, 'deletion')}, ` +
        `${pluralize(renames.length, 'rename')}. The next crawls fetch only new tweets, and the lists of followers:`,
    ),
  );
  const stars = currentHandles(world.mostFollowed, step);
  const writers = currentHandles(world.mostProlific, step);
  const authors = [...new Set([...stars, ...writers])];
  const code = await crawlInProcess(
    [...createSpecs('timeline', authors), ...createSpecs('followers', stars)],
    run,
    config,
  );
  print(
    wrapProse(
      '\nA second list of followers confirms unfollows. Whole timelines show which tweets are missing; trawl then requests each of these.',
    ),
  );
  const rows = await crawlSilently(
    [...createSpecs('timeline', authors, { fullRefresh: true }), ...createSpecs('followers', stars)],
    run,
    config,
  );
  print(`\nDetected in ${pluralize(rows.length, 'crawl')}: ${await countChanges(file)}.`);
  for (const change of CHANGES) printAnswer(file, change, { hasSql: true });
  return rows.every(isSuccessState) ? code : EXIT.failed;
}

function takeStep(worldFile: string, days: number, seed: number): WorldStep {
  using db = openDatabase(worldFile);
  return stepWorld({ db, days, seed });
}

/** The handles of accounts after a step, without suspended accounts. */
function currentHandles(accounts: WorldSummary['mostFollowed'], { changes }: WorldStep): string[] {
  const suspended = new Set(changes.suspensions.map(({ restId }) => restId));
  const renamed = new Map(changes.renames.map(({ restId, to }) => [restId, to]));
  return accounts
    .filter(({ restId }) => !suspended.has(restId))
    .map(({ restId, screenName }) => renamed.get(restId) ?? screenName);
}

const createSpecs = (kind: KindName, targets: readonly string[], options: CrawlOptions = {}): CrawlSpec[] =>
  targets.map((target) => createCrawlSpec({ kind, target, options, priority: 'interactive' }));

const countChanges = async (file: string): Promise<string> =>
  await readStore(file, (db) =>
    CHANGES.map(({ count, name }) => pluralize(db.$client.prepare<[], number>(count).pluck().get()!, name)).join(', '),
  );

interface Question {
  readonly question: string;
  readonly sql: string;
}

/** Prints the heading of a section. */
export const heading = (text: string): void => print(`\n${hasStyles() ? BOLD.open + text + BOLD.close : text}`);

/** Prints a question, its SQL if `hasSql` is set, and the rows that answer it. */
export function printAnswer(db: string, { question, sql }: Question, { hasSql = false } = {}): void {
  using query = openQuery({ db, sql });
  const shown = hasSql ? `${sql.replaceAll(/^/gm, '  ')}\n\n` : '';
  print(`\n${question}\n\n${shown}${[...formatAsTable(toResultSet(query))].join('').trimEnd()}`);
}
