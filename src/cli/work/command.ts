import { Command, InvalidArgumentError, Option } from 'commander';
import { parseWebhookUrl } from '../../jobs/notify.ts';
import { loadAction, resolvePath } from '../context.ts';
import { dashboardOption } from '../dashboard/dashboard-option.ts';
import { dbOption, quietOption, parseAddress, parseIntegerFrom } from '../shared/common-options.ts';
import { concurrencyOption, minFreeOption, noRawOption, waitOption } from '../shared/crawl-options.ts';

export function workCommand(): Command {
  return new Command('work')
    .summary('run queued crawls until stopped')
    .description(
      'Runs all unfinished crawls and scheduled jobs of the database until SIGINT or SIGTERM; then it stores the pages in ' +
        'progress and exits within 5 s. Several workers on one machine may share a database. ' +
        'Needs TRAWL_API_URL and TRAWL_API_KEY. Logs are JSON lines on stderr.',
    )
    .addOption(dbOption())
    .addOption(concurrencyOption())
    .option('--exit-when-idle', 'exit when all crawls have ended')
    .addOption(waitOption('1h; only with --exit-when-idle'))
    .option('--jobs <folder>', 'first synchronise the schedule with the job files in this folder', resolvePath)
    .addOption(
      new Option(
        '--listen <host:port>',
        'serve /healthz, /readyz and /metrics (Prometheus) on this address (port 0: any free port)',
      ).argParser(parseAddress),
    )
    .addOption(dashboardOption())
    .option(
      '--ship [target...]',
      'ship facts to these targets beside crawling, or to all (default: TRAWL_SHIP, or to none)',
    )
    .addOption(
      new Option(
        '--notify <url>',
        'send alerts to this webhook (POST, JSON): a refused key, jobs whose runs fail or find nothing new, a full ' +
          'disk, a long outage, a stuck quota, facts that are not shipped, and their recovery (default: TRAWL_NOTIFY_URL, which `ps` does not show)',
      ).argParser(parseWebhook),
    )
    .addOption(noRawOption())
    .option(
      '--raw-days <n>',
      'delete the bodies of pages after n days (default: TRAWL_RAW_DAYS, or never)',
      parseIntegerFrom(1),
    )
    .addOption(minFreeOption())
    .addOption(quietOption())
    .addHelpText(
      'after',
      `
Examples:
  trawl enqueue followers nasa esa && trawl work --exit-when-idle
  trawl work --jobs jobs
  trawl work --jobs jobs --listen 127.0.0.1:9464
  trawl work --dashboard
  trawl work --jobs jobs --ship

Exit codes: 0 stopped, or nothing is left to do, 1 failed, 2 usage error, 78 the service refuses the key.`,
    )
    .action(loadAction(async () => (await import('./run.ts')).runWork));
}

function parseWebhook(text: string): string {
  const url = parseWebhookUrl(text);
  if (url === undefined)
    throw new InvalidArgumentError('It must be an http or https address without user and password.');
  return url;
}
