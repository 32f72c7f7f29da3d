import { Command } from 'commander';
import { loadAction } from '../context.ts';
import { dbOption, jsonOption } from '../shared/common-options.ts';

export function statusCommand(): Command {
  return new Command('status')
    .summary('show crawls, quota, queue and rates')
    .description(
      'Prints crawls by kind and state, running crawls, paused crawls with the reason, the quota, the queue, what waits to be ' +
        'shipped, and the rates. ' +
        'It is read-only: it writes nothing, sends no request to the service, and starts no queue.',
    )
    .option('--watch', 'repeat until Ctrl-C: every second on a terminal, otherwise every 5 s')
    .addOption(dbOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Rates count requests and their items. Since items are counted per crawl, a crawl that began before the period counts
with its average items per request. With --watch --json, each line is one document.

Examples:
  trawl status
  trawl status --watch
  trawl status --json | jq .crawls`,
    )
    .action(loadAction(async () => (await import('./run.ts')).showStatus));
}
