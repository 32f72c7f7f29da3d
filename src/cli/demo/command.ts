import { Command } from 'commander';
import { quietOption, parseIntegerFrom } from '../shared/common-options.ts';

export function demoCommand(): Command {
  return new Command('demo')
    .summary('see it all work on this machine: nothing to set up')
    .description(
      'Makes a small synthetic microblog, serves it over HTTP, crawls some of it through the queue into a database, ' +
        'answers a few questions from that in SQL, and says what to type next. Under a minute; needs no key and no Redis.',
    )
    .option(
      '--dir <folder>',
      'folder of its two databases; replaces those of an earlier demo, and no other file',
      'trawl-demo',
    )
    .option('--users <n>', 'people in the world', parseIntegerFrom(50), 500)
    .option('--seed <n>', 'which world', parseIntegerFrom(0), 7)
    .addOption(quietOption())
    .action(async (words: { dir: string; users: number; seed: number; quiet?: true }) => {
      const { runDemo } = await import('./run.ts');
      process.exitCode = await runDemo(words);
    });
}
