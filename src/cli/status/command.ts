import { Command } from 'commander';
import { loadAction } from '../context.ts';
import { dbOption, jsonOption } from '../shared/common-options.ts';

export function statusCommand(): Command {
  return new Command('status')
    .summary('show crawls, quota, queue and rates')
    .description(
      'Prints the crawls by kind and state, running and paused crawls with the reason, the quota, the queue, and the rates.\n' +
        'It is read-only: it writes nothing, sends no request to the service, and starts no queue.',
    )
    .option('--watch', 'repeat until Ctrl-C: every second on a terminal, otherwise every 5 s')
    .addOption(dbOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Rates count requests and their items. Items are counted by crawl, so a crawl that began before the period is counted
with its average per request. With --watch --json, each line is one document.

Examples:
  trawl status
  trawl status --watch
  trawl status --json | jq .crawls`,
    )
    .action(loadAction(async () => (await import('./run.ts')).showStatus));
}
