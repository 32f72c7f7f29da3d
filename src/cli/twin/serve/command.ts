import { Option } from 'commander';
import { resolvePath } from '#cli/context.ts';
import { CliCommand } from '#cli/shared/cli-command.ts';
import { listParser, parseAddress, parseDuration, parseIntegerFrom } from '#cli/shared/common-options.ts';

export const serveCommand = (): CliCommand =>
  new CliCommand('serve')
    .summary('start the twin: serve a database like the service')
    .description(
      "Starts the twin: a local server with the service's endpoints over a database, for clients of the service. " +
        'Requests need a key of `trawl twin keys create` in the header X-API-Key. Logs one line per request to stderr. ' +
        '/healthz needs no key.',
    )
    .common('db')
    .addOption(
      new Option(
        '--listen <host:port>',
        'address to listen on (port 0: any free port); beyond loopback, every holder of a key can read the database',
      )
        .default({ host: '127.0.0.1', port: 8801 }, '127.0.0.1:8801')
        .argParser(parseAddress),
    )
    .option('--page-size <n>', 'page size of all lists, or of one, such as search=100; repeatable', listParser)
    .option('--extended', 'add the cursors of user-tweets to all lists of tweets')
    .option('--latency <duration>', 'delay of each response, such as 50 (milliseconds) or 2s', (text) =>
      parseDuration(/^\d+$/.test(text) ? `${text}ms` : text),
    )
    .option('--following-cache <duration>', 'cache responses of `following`, which then cost no quota', parseDuration)
    .option('--faults <file>', 'a fault plan for the responses; examples are in faults/', resolvePath)
    .option('--seed <n>', 'seed of the faults: the same seed gives the same faults', parseIntegerFrom(0), 1)
    .common('quiet')
    .explains(
      `Examples:
  trawl twin serve --db world.db --listen 127.0.0.1:0
  trawl twin serve --db world.db --page-size 100 --page-size search=20
  trawl twin serve --db world.db --faults faults/nasty.yaml --seed 7
  curl -H "X-API-Key: $TRAWL_API_KEY" \\
    'http://127.0.0.1:8801/api/microblog/user-profile?screenName=HarbourNews'`,
    )
    .runs(async () => (await import('./run.ts')).runTwin);
