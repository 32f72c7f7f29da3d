import { Option } from 'commander';
import { resolvePath } from '#cli/context.ts';
import { allowHostOption, dashboardOption } from '#cli/dashboard/dashboard-option.ts';
import { CliCommand } from '#cli/shared/cli-command.ts';
import { parseAddress, parseIntegerFrom, valueParser } from '#cli/shared/common-options.ts';
import { concurrencyOption, minFreeOption, noRawOption, RARE_OPTIONS, waitOption } from '#cli/shared/crawl-options.ts';
import { parseWebhookUrl } from '#crawl/jobs/notify.ts';

export const workCommand = (): CliCommand =>
  new CliCommand('work')
    .summary('run queued crawls until stopped')
    .description(
      'Runs all unfinished crawls and scheduled jobs of the database until SIGINT or SIGTERM; then it stores the pages in ' +
        'progress and exits within 5 s. Several workers on one machine may share a database. ' +
        'Needs TRAWL_API_URL and TRAWL_API_KEY. Logs go to stderr as lines of JSON.',
    )
    .common('db', 'quiet')
    .option('--exit-when-idle', 'exit when all crawls have ended')
    .option('--jobs <folder>', 'first synchronise the schedule with the job files in this folder', resolvePath)
    .option(
      '--listen <host:port>',
      'serve /healthz, /readyz and /metrics (Prometheus) on this address (port 0: any free port)',
      parseAddress,
    )
    .addOption(dashboardOption())
    .option('--share', 'let workers on other hosts use this database, over the Redis server of REDIS_URL')
    .addOption(
      new Option(
        '--join [store]',
        'work for the database that another host shares over REDIS_URL (of several: the start of its id)',
      ).conflicts(['share', 'exitWhenIdle', 'jobs', 'listen', 'dashboard', 'ship', 'notify', 'rawDays', 'minFreeDisk']),
    )
    .option('--ship [target...]', 'also ship facts to these targets, or to all (default: TRAWL_SHIP, or to none)')
    .addOption(
      new Option(
        '--notify <url>',
        'send alerts to this webhook (POST, JSON), and their recovery (default: TRAWL_NOTIFY_URL, which `ps` does not show)',
      ).argParser(valueParser(parseWebhookUrl, 'an http or https address without user and password')),
    )
    .optionsGroup(RARE_OPTIONS)
    .addOption(concurrencyOption())
    .addOption(waitOption('1h; only with --exit-when-idle'))
    .addOption(allowHostOption())
    .addOption(noRawOption())
    .option(
      '--raw-days <n>',
      'delete the bodies of pages after n days (default: TRAWL_RAW_DAYS, or never)',
      parseIntegerFrom(1),
    )
    .addOption(minFreeOption())
    .explains(
      `Examples:
  trawl enqueue followers nasa esa && trawl work --exit-when-idle
  trawl work --jobs jobs --ship --listen 127.0.0.1:9464
  trawl work --dashboard
  trawl work --share      with REDIS_URL, on the host with the database
  trawl work --join       with the same REDIS_URL, on other hosts`,
    )
    .writes(async () => (await import('./run.ts')).runWork);
