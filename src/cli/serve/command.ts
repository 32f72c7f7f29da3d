import { Command, InvalidArgumentError, Option } from 'commander';
import { loadAction, resolvePath } from '../context.ts';
import { dbOption, parseAddress, parseDuration, parseIntegerFrom, quietOption } from '../shared/common-options.ts';

export function serveCommand(): Command {
  return new Command('serve')
    .summary('start the twin: serve a database like the service')
    .description(
      "Starts the twin: a local server with the service's endpoints over a database, for clients of the service. " +
        'Requests need a key of `trawl keys create` in the header X-API-Key. Logs one line per request on stderr. ' +
        'Without a key: /openapi.json (OpenAPI 3.1, for client generators), /healthz, /metrics (Prometheus).',
    )
    .addOption(dbOption())
    .addOption(
      new Option(
        '--listen <host:port>',
        'address to listen on (port 0: any free port); a host other than loopback exposes the whole database to ' +
          'every holder of a key',
      )
        .default({ host: '127.0.0.1', port: 8801 }, '127.0.0.1:8801')
        .argParser(parseAddress),
    )
    .option(
      '--page-size <n>',
      'page size of all lists, or of one list, such as search=100 (default: by endpoint); repeatable',
      (text: string, before: readonly string[] | undefined) => [...(before ?? []), text],
    )
    .option('--extended', 'add the cursors of user-tweets to all lists of tweets')
    .option('--latency <duration>', 'delay of each response, such as 50 (milliseconds) or 2s', parseMilliseconds)
    .option(
      '--following-cache <duration>',
      'cache responses of `following` for this time, such as 15m; cached responses cost no quota (default: off)',
      parseDuration,
    )
    .option('--faults <file>', 'a fault plan for the responses; examples are in faults/', resolvePath)
    .option('--seed <n>', 'seed of the faults: the same seed gives the same faults', parseIntegerFrom(0), 1)
    .addOption(quietOption())
    .addHelpText(
      'after',
      `
Examples:
  trawl serve --db world.db
  trawl serve --db world.db --listen 127.0.0.1:0
  trawl serve --db world.db --page-size 100 --page-size search=20
  trawl serve --db world.db --latency 50
  trawl serve --db world.db --extended
  trawl serve --db world.db --faults faults/nasty.yaml --seed 7
  curl -H "X-API-Key: $TRAWL_API_KEY" \\
    'http://127.0.0.1:8801/api/microblog/user-profile?screenName=HarbourNews'

Ctrl-C stops the twin after it has answered the requests in progress.`,
    )
    .action(loadAction(async () => (await import('./run.ts')).runTwin));
}

/** A bare number is milliseconds. */
function parseMilliseconds(text: string): number {
  if (!/^\d+(ms|s|m|h|d)?$/.test(text))
    throw new InvalidArgumentError('It must be milliseconds such as 50, or a number with a unit, such as 2s.');
  return parseDuration(/^\d+$/.test(text) ? `${text}ms` : text);
}
