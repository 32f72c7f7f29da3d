import { once } from 'node:events';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { FaultsOptions } from '../../faults/fault-injector.ts';
import { resolvePath } from '../context.ts';
import { dbOption, parseDuration, quietOption, parseIntegerFrom } from '../shared/common-options.ts';
import { endOnInterrupt } from '../shared/signals.ts';
import { printNote } from '../terminal/output.ts';

interface ServeOptions {
  readonly db: string;
  readonly listen: Address;
  readonly pageSize?: readonly string[];
  readonly extended?: true;
  readonly latency?: number;
  readonly followingCache?: number;
  readonly faults?: string;
  readonly seed: number;
  readonly quiet?: true;
}

interface Address {
  readonly host: string;
  readonly port: number;
}

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

/** `trawl serve`: the twin, which serves the interface of the service over a store. */
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
    .option('--latency <duration>', 'delay of each response, such as 50 (milliseconds) or 2s', milliseconds)
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
    .action(async ({ db: file, listen, latency, followingCache, quiet, ...given }: ServeOptions) => {
      const [{ requireStore }, { startTwin }, { parsePageSizes }, { openLog }, { watchFiles }] = await Promise.all([
        import('../shared/existing-store.ts'),
        import('../../twin/http/start.ts'),
        import('./page-sizes.ts'),
        import('../shared/open-log.ts'),
        import('../../store/sqlite/file-watch.ts'),
      ]);
      await requireStore(file);
      const { extended } = given;
      const pageSize = parsePageSizes(given.pageSize ?? []);
      const faults = given.faults === undefined ? undefined : await loadFaults(given.faults, given.seed);
      const log = openLog({ level: quiet ? 'silent' : 'info', isBuffered: true });
      const stopped = once(endOnInterrupt(), 'abort');
      await using twin = await startTwin({
        ...{ file, ...listen, pageSize, extended, faults, log },
        ...{ latencyMs: latency, followingCacheMs: followingCache },
      });
      if (twin.activeKeys === 0) printNote(`no active key; create one: trawl keys create --db ${file}`);
      if (!LOOPBACK.includes(listen.host))
        printNote(
          `anyone with access to ${listen.host} and a key can read all of ${file}, unencrypted; ` +
            '/metrics needs no key and shows the names and quotas of all keys',
        );
      printNote(`serving ${file} on ${twin.url}`);
      using watch = watchFiles(twin.files);
      await Promise.race([stopped, watch.replaced]);
    });
}

/** Loads a fault plan, and prints its rules. */
async function loadFaults(file: string, seed: number): Promise<FaultsOptions> {
  const [{ loadFaultPlan }, { describeRule }] = await Promise.all([
    import('../../faults/plan-file.ts'),
    import('../../faults/describe-rule.ts'),
  ]);
  const plan = loadFaultPlan(file);
  printNote(
    [`faults of ${file}, seed ${seed} (the log shows each applied fault):`, ...plan.map(describeRule)].join('\n  '),
  );
  return { plan, seed };
}

/** Parses `host:port`; an IPv6 address is in brackets. */
function parseAddress(text: string): Address {
  const [, bracketed, plain, digits] = /^(?:\[([\da-f:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(digits) > 65_535) {
    throw new InvalidArgumentError(
      'It must be host:port, such as 127.0.0.1:8801 or [::1]:8801; port 0 is any free port.',
    );
  }
  return { host, port: Number(digits) };
}

/** A bare number is milliseconds. */
function milliseconds(text: string): number {
  if (!/^\d+(ms|s|m|h|d)?$/.test(text))
    throw new InvalidArgumentError('It must be milliseconds such as 50, or a number with a unit, such as 2s.');
  return parseDuration(/^\d+$/.test(text) ? `${text}ms` : text);
}
