import { CliCommand } from '#cli/shared/cli-command.ts';
import { parseIntegerFrom } from '#cli/shared/common-options.ts';

export const demoCommand = (): CliCommand =>
  new CliCommand('demo')
    .summary('try trawl on a synthetic microblog, without set-up')
    .description(
      'Generates a small synthetic microblog, serves it over HTTP, crawls it into a database, runs SQL queries, advances ' +
        'the microblog by a month, crawls it again, and shows the unfollows, deletions and renames that trawl detects. ' +
        'Takes less than a minute; needs no key and no Redis.',
    )
    .option('--dir <folder>', 'folder for the two databases; replaces only databases of an earlier demo', 'trawl-demo')
    .option('--users <n>', 'number of users', parseIntegerFrom(50), 500)
    .option('--seed <n>', 'seed of the world', parseIntegerFrom(0), 7)
    .common('quiet')
    .runs(async () => (await import('./run.ts')).runDemo);
