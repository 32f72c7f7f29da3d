import { Command } from 'commander';
import { dbOption, jsonOption } from '../shared/common-options.ts';
import type { StatusOptions } from './run.ts';

export function statusCommand(): Command {
  return new Command('status')
    .summary('what is going on: crawls, quota, queue, pace')
    .description(
      'Shows the crawls by kind and state, those under way with what they wait for, the quota, the queue, and the pace.\n' +
        'It only looks: nothing is written, nothing is asked of the service, and no queue is started for it.',
    )
    .option('--watch', 'show it again and again until Ctrl-C: every second on a terminal, every 5 s elsewhere')
    .addOption(dbOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The pace counts requests and the items that they brought. Items are counted by crawl, so those of a crawl that began
before are its average per request. With --watch --json, each line is one document.

Examples:
  trawl status
  trawl status --watch
  trawl status --json | jq .crawls`,
    )
    .action(async (words: StatusOptions) => {
      const { showStatus } = await import('./run.ts');
      await showStatus(words);
    });
}
