import { Command, Option } from 'commander';
import { loadAction, resolvePath } from '../context.ts';
import { jsonOption, parseIntegerFrom, quietOption } from '../shared/common-options.ts';

const EXAMPLES = `
Examples:
  trawl world create --db world.db
  trawl world create --users 500 --seed 7 --db world.db
  trawl world create --users 100000 --db large.db --json

To serve and crawl a world, see trawl keys create and trawl serve.`;

const STEP_EXAMPLES = `
Examples:
  trawl world step --db world.db
  trawl world step --db world.db --days 7 --seed 3
  trawl world step --db world.db --json | jq .changes.renames

To see what trawl detects, crawl before and after a step.`;

export function worldCommand(): Command {
  const create = new Command('create')
    .summary('generate a world in a new file')
    .description(
      'Generates a synthetic microblog: users, follows, tweets, conversations, media, hashtags, communities and lists, in ' +
        'many scripts. The same number of users and the same seed give the same rows.',
    )
    .addOption(new Option('--users <n>', 'number of users').argParser(parseIntegerFrom(1)).default(500))
    .addOption(new Option('--seed <n>', 'seed of the random numbers').argParser(parseIntegerFrom(0)).default(1))
    // No default and no TRAWL_DB: synthetic users must not get into a crawled database.
    .addOption(new Option('--db <file>', 'the SQLite file to create').argParser(resolvePath).makeOptionMandatory())
    .addOption(jsonOption())
    .addOption(quietOption())
    .addHelpText('after', EXAMPLES)
    .action(loadAction(async () => (await import('./run.ts')).createWorldFile));
  const step = new Command('step')
    .summary('advance a world by some days')
    .description(
      'Adds the changes of some days to a world: new tweets and replies, edits, deletions, likes, follows, unfollows, new ' +
        'handles (some given up by other accounts), changed profiles, suspended accounts. A twin may serve the world at ' +
        'the same time; it shows all changes of a step or none. The same world, days and seed give the same changes.',
    )
    .addOption(new Option('--days <n>', 'length of the step in days').argParser(parseIntegerFrom(1)).default(1))
    .addOption(new Option('--seed <n>', 'seed of the random numbers').argParser(parseIntegerFrom(0)).default(1))
    .addOption(new Option('--db <file>', 'the SQLite file of the world').argParser(resolvePath).makeOptionMandatory())
    .addOption(jsonOption())
    .addHelpText('after', STEP_EXAMPLES)
    .action(loadAction(async () => (await import('./step.ts')).stepWorldFile));
  return new Command('world')
    .summary('generate a synthetic microblog')
    .description('Generates a synthetic microblog, and advances it by days.')
    .addCommand(create)
    .addCommand(step);
}
