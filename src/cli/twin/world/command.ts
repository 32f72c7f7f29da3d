import { Option } from 'commander';
import { resolvePath } from '#cli/context.ts';
import { CliCommand } from '#cli/shared/cli-command.ts';
import { parseIntegerFrom } from '#cli/shared/common-options.ts';

/** A command on the file of a world. It has no default and no TRAWL_DB: synthetic users must not get into a crawled database. */
const worldSubcommand = (name: string, file: string): CliCommand =>
  new CliCommand(name)
    .option('--seed <n>', 'seed of the random numbers', parseIntegerFrom(0), 1)
    .addOption(new Option('--db <file>', file).argParser(resolvePath).makeOptionMandatory())
    .common('json');

export const worldCommand = (): CliCommand =>
  new CliCommand('world')
    .summary('generate a synthetic microblog')
    .description('Generates a synthetic microblog, and advances it by days.')
    .addCommand(
      worldSubcommand('create', 'the SQLite file to create')
        .summary('generate a world in a new file')
        .description(
          'Generates a synthetic microblog: users, follows, tweets, conversations, media, hashtags, communities and ' +
            'lists, in many scripts. The same number of users and the same seed give the same rows.',
        )
        .option('--users <n>', 'number of users', parseIntegerFrom(1), 500)
        .runs(async () => (await import('./run.ts')).createWorldFile),
    )
    .addCommand(
      worldSubcommand('step', 'the SQLite file of the world')
        .summary('advance a world by some days')
        .description(
          'Adds the changes of some days to a world, such as tweets, deletions, unfollows, new handles and suspended ' +
            'accounts. A twin may serve the world at the same time. The same world, days and seed give the same changes.',
        )
        .option('--days <n>', 'length of the step in days', parseIntegerFrom(1), 1)
        .runs(async () => (await import('./step.ts')).stepWorldFile),
    )
    .explains(
      `Examples:
  trawl twin world create --users 500 --seed 7 --db world.db
  trawl twin world step --db world.db --days 7 --json | jq .changes.renames

To serve and crawl a world, see trawl twin keys create and trawl twin serve.`,
    );
