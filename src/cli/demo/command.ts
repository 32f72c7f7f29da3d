import { Command } from 'commander';
import { loadAction } from '../context.ts';
import { quietOption, parseIntegerFrom } from '../shared/common-options.ts';

export function demoCommand(): Command {
  return new Command('demo')
    .summary('try trawl on a synthetic microblog, without set-up')
    .description(
      'Generates a small synthetic microblog, serves it over HTTP, crawls part of it through the queue into a database, ' +
        'runs a few SQL queries, advances the microblog by a month, crawls it again, shows the unfollows, deletions and ' +
        'renames that trawl detects, and prints commands to try next. Takes less than a minute; needs no key and no Redis.',
    )
    .option('--dir <folder>', 'folder for the two databases; replaces only databases of an earlier demo', 'trawl-demo')
    .option('--users <n>', 'number of users', parseIntegerFrom(50), 500)
    .option('--seed <n>', 'seed of the world', parseIntegerFrom(0), 7)
    .addOption(quietOption())
    .action(loadAction(async () => (await import('./run.ts')).runDemo));
}
