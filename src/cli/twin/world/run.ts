import { existsSync, rmSync } from 'node:fs';
import { UsageError } from '#base/errors.ts';
import { quoteShellWord } from '#base/text.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { trapSignals } from '#cli/shared/signals.ts';
import { createProgressLine } from '#cli/terminal/output.ts';
import { formatPercent, pluralize, print, printNote } from '#cli/terminal/print.ts';
import { wrapProse } from '#cli/terminal/wrap.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { createWorld, type WorldProgress, type NotableAccount, type WorldSummary } from '#twin/world/create-world.ts';

interface CreateOptions extends CommonOptions {
  readonly users: number;
  readonly seed: number;
}

/** Generates a world in a new file, which is removed if that fails or is interrupted. */
export async function createWorldFile(options: CreateOptions): Promise<void> {
  if (options.db === '') throw new UsageError('--db is empty', { hint: 'Give a new file, such as --db world.db.' });
  const isNew = !existsSync(options.db);
  using interruption = trapSignals('stopping: the file is removed');
  try {
    const summary = await generate(options, interruption.signal);
    print(options.json ? JSON.stringify(summary) : formatReport(options.db, options.seed, summary));
  } catch (error) {
    // An unfinished world is removed, so that the next attempt can use the name.
    const files = ['', '-wal', '-shm'].map((suffix) => `${options.db}${suffix}`);
    if (isNew) for (const file of files.filter((one) => existsSync(one))) rmSync(file);
    throw error;
  }
}

async function generate({ users, seed, db: file }: CreateOptions, signal: AbortSignal): Promise<WorldSummary> {
  using db = openDatabase(file);
  printNote(`generating a world of ${pluralize(users, 'user')} in ${file}`);
  using line = await createProgressLine();
  const onProgress = ({ phase, done, total }: WorldProgress) =>
    line.show(`${phase}: ${formatPercent(total === 0 ? 1 : done / total)}`);
  return await createWorld({ db, users, seed, signal, onProgress });
}

const formatNotables = (list: readonly NotableAccount[]): string =>
  list
    .map(
      (known) => `${known.screenName} (${pluralize(known.followers, 'follower')}, ${pluralize(known.tweets, 'tweet')})`,
    )
    .join(`\n${' '.repeat(17)}`);

function formatReport(file: string, seed: number, world: WorldSummary): string {
  const star = world.mostFollowed[0]?.screenName ?? '';
  return [
    wrapProse(
      `World ${seed} in ${file}: ${pluralize(world.users, 'user')}, ${pluralize(world.follows, 'follow')}, ` +
        `${pluralize(world.tweets, 'tweet')} (of them ${pluralize(world.replies, 'reply', 'replies')}), ` +
        `${pluralize(world.communities, 'community', 'communities')}, ${pluralize(world.lists, 'list')}.`,
    ),
    '',
    'Targets:',
    `  most followed  ${formatNotables(world.mostFollowed)}`,
    `  most tweets    ${formatNotables(world.mostProlific)}`,
    ...(world.tweetless ? [`  no tweets      ${world.tweetless}`] : []),
    `  hashtags       ${world.hashtags.map((tag) => `#${tag}`).join(' ')}`,
    ...(world.community ? [`  a community    ${world.community}`] : []),
    ...(world.list ? [`  a list         ${world.list}`] : []),
    '',
    'Next:',
    `  trawl twin keys create --db ${quoteShellWord(file)}`,
    `  trawl twin serve --db ${quoteShellWord(file)}`,
    'and, with TRAWL_API_URL, TRAWL_API_KEY, and a TRAWL_DB of its own:',
    `  trawl crawl followers ${star}`,
  ].join('\n');
}
