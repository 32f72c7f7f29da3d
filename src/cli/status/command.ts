import { CliCommand } from '#cli/shared/cli-command.ts';

export const statusCommand = (): CliCommand =>
  new CliCommand('status')
    .summary('show crawls, quota, queue and rates')
    .description(
      'Prints crawls by kind and state, running and paused crawls, the quota, the queue, facts to be shipped, and the ' +
        'rates. It writes nothing, sends no request to the service, and starts no queue.',
    )
    .option('--watch', 'repeat until Ctrl-C: every second on a terminal, otherwise every 5 s')
    .common('db', 'json')
    .explains(
      `With --watch --json, each line is one document.

Examples:
  trawl status --watch
  trawl status --json | jq .crawls`,
    )
    .runs(async () => (await import('./run.ts')).showStatus);
