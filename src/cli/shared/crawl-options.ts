import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseMinFree } from '../../config.ts';
import { KIND_NAMES, kindTable } from '../../kinds/kinds.ts';
import type { MinFreeSpace } from '../../store/sqlite/disk-space.ts';
import { resolvePath } from '../context.ts';
import type { BudgetOptions } from './begin-run.ts';
import { type CommonOptions, dbOption, parseDuration, parseSince, parseIntegerFrom } from './common-options.ts';

/** The options of `crawl`, `enqueue` and `plan` that define the crawls. */
export interface CrawlCommandOptions extends CommonOptions, BudgetOptions {
  readonly fromFile?: string;
  readonly fromSql?: string;
  readonly maxPages?: number;
  readonly since?: number;
  readonly fullRefresh?: true;
  readonly recheck?: boolean;
  readonly then?: readonly string[];
  readonly depth?: number;
  readonly thenMaxPages?: number;
}

/** The options of `crawl`, `backfill` and `work`, which run crawls. */
export interface WorkerOptions {
  readonly concurrency: number;
  readonly raw: boolean;
  /** How long to wait during an outage of the service or on a full disk, in ms; of `work`, with --exit-when-idle only. */
  readonly wait?: number;
  /** The disk space that stays free. */
  readonly minFreeDisk?: MinFreeSpace;
}

const KINDS = KIND_NAMES.map((name) => `  ${name.padEnd(10)} ${kindTable[name].summary}`).join('\n');

export const waitOption = (usual: string): Option =>
  new Option(
    '--wait <duration>',
    `how long to wait during an outage of the service or on a full disk; after that, the exit code is 3 and the crawls stay queued (default: ${usual})`,
  ).argParser(parseDuration);

export const minFreeOption = (): Option =>
  new Option(
    '--min-free-disk <size>',
    'pause crawls while less disk space is free, such as 500MB or 2% (default: TRAWL_MIN_FREE_DISK, or 500MB, at most 5% of the disk)',
  ).argParser((text): MinFreeSpace => {
    const parsed = parseMinFree(text);
    if (parsed === undefined) throw new InvalidArgumentError('It must be a size such as 500MB, or a percentage.');
    return parsed;
  });

export const DEFAULT_CONCURRENCY = 16;
export const concurrencyOption = (usual = DEFAULT_CONCURRENCY): Option =>
  new Option('--concurrency <n>', 'number of crawls of a priority that run at the same time')
    .argParser(parseIntegerFrom(1))
    .default(usual);

export const noRawOption = (): Option => new Option('--no-raw', 'do not keep the bodies of pages');

export const yesOption = (): Option =>
  new Option('-y, --yes', 'skip the confirmation of crawls that are expected to take more than one quota window');

export const addBudgetOptions = (command: Command): Command =>
  command
    .option('--max-requests <n>', 'send at most n requests; unfinished crawls are partial then', parseIntegerFrom(1))
    .option('--max-requests-per-day <n>', 'wait for the next day (UTC) after n requests', parseIntegerFrom(1));

export const addCrawlOptions = (command: Command): Command =>
  addBudgetOptions(
    command
      .argument('<kind>', 'what to crawl: see Kinds below')
      .argument('[target...]', 'accounts (nasa, @nasa, id:11348282 or a URL), ids or URLs, or search strings')
      .option(
        '--from-file <file>',
        'read more targets from a file, one per line; lines that begin with "# " are comments; - is standard input',
        resolvePath,
      )
      .option('--from-sql <select>', 'read more targets from the database; values of a column rest_id are ids')
      .option('--max-pages <n>', 'stop after n pages; the crawl is then partial', parseIntegerFrom(1))
      .option(
        '--since <day>',
        'stop at items older than this day or age, such as 30d (timeline, replies, community)',
        parseSince,
      )
      .option(
        '--full-refresh',
        'read the whole list again, including complete intervals (timeline, replies, community)',
      )
      .option('--no-recheck', 'do not re-check tweets that are missing from the list (timeline, replies)')
      .option('--then <kinds>', 'snowball: also crawl these kinds of each discovered account', commaSeparated)
      .option('--depth <n>', 'generations of the snowball (default: 1)', parseIntegerFrom(1))
      .option(
        '--max-targets <n>',
        'maximum number of discovered accounts, for all targets together',
        parseIntegerFrom(1),
      )
      .option('--then-max-pages <n>', 'stop each child crawl after n pages', parseIntegerFrom(1)),
  )
    .addOption(dbOption())
    .addHelpText('after', `\nKinds:\n${KINDS}`);

const commaSeparated = (text: string): string[] => text.split(',').map((part) => part.trim());
