import { type Command, Option } from 'commander';
import { parseMinFree } from '#config.ts';
import type { BudgetOptions } from '#library/run/begin-run.ts';
import type { CrawlRequestOptions } from '#library/run/requested-crawls.ts';
import { DEFAULT_CONCURRENCY } from '#library/run/run-defaults.ts';
import { PRIORITIES } from '#service/quota/priorities.ts';
import type { MinFreeSpace } from '#store/sqlite/disk-space.ts';
import type { CliCommand } from './cli-command.ts';
import {
  ACCOUNT_FORMS,
  type CommonOptions,
  fromFileOption,
  listParser,
  parseDuration,
  parseIntegerFrom,
  parseSince,
  valueParser,
} from './common-options.ts';

/** The options of `crawl`, `enqueue` and `plan` that define the crawls. */
export interface CrawlCommandOptions extends CommonOptions, Omit<CrawlRequestOptions, 'fileTargets'>, BudgetOptions {
  /** A file with targets, one per line; `-` is standard input. */
  readonly fromFile?: string;
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

/** The heading of options that few people need. */
export const RARE_OPTIONS = 'Rare options:';

const atLeastOne = parseIntegerFrom(1);

export const waitOption = (usual: string): Option =>
  new Option(
    '--wait <duration>',
    `maximum wait for the service or for disk space; then exit with code 3, crawls stay queued (default: ${usual})`,
  ).argParser(parseDuration);

export const minFreeOption = (): Option =>
  new Option(
    '--min-free-disk <size>',
    'pause crawls below this free disk space: 500MB or 2% (default: TRAWL_MIN_FREE_DISK, or 500MB, at most 5%)',
  ).argParser(valueParser(parseMinFree, 'a size such as 500MB, or a percentage'));

export const concurrencyOption = (usual = DEFAULT_CONCURRENCY): Option =>
  new Option('--concurrency <n>', 'maximum number of concurrent crawls of a priority')
    .argParser(atLeastOne)
    .default(usual);

export const priorityOption = (): Option =>
  new Option('--priority <priority>', 'priority of the crawls').choices(PRIORITIES).default('interactive');

export const noRawOption = (): Option =>
  new Option('--no-raw', 'do not keep the bodies of pages, which `trawl rebuild` needs');

/** Adds the options of commands that crawl in this process until the crawls end, but for those that define the crawls. */
export const addRunOptions = (command: CliCommand, concurrency?: number): CliCommand =>
  command
    .common('json', 'yes')
    .optionsGroup(RARE_OPTIONS)
    .addOption(concurrencyOption(concurrency))
    .addOption(waitOption('5m'))
    .addOption(noRawOption())
    .addOption(minFreeOption());

/** @param does what the command does with the members */
export const panelOption = (does: string): Option =>
  new Option('--panel <panel>', `${does} (\`trawl panel\` lists the panels)`);

const maxRequestsOption = (): Option =>
  new Option('--max-requests <n>', 'send at most n requests in total (unfinished crawls end partial)').argParser(
    atLeastOne,
  );

const maxRequestsPerDayOption = (): Option =>
  new Option('--max-requests-per-day <n>', 'pause until the next day (UTC) after n requests').argParser(atLeastOne);

export const addBudgetOptions = <C extends Command>(command: C): C =>
  command.addOption(maxRequestsOption()).addOption(maxRequestsPerDayOption());

/** The arguments and options of `crawl`, `enqueue` and `plan`. */
export const addCrawlOptions = (command: CliCommand): CliCommand =>
  command
    .argument('<kind>', 'kind of crawl: see Kinds in `trawl crawl --help`')
    .argument('[target...]', `accounts (${ACCOUNT_FORMS}), ids or URLs of tweets, communities or lists, or searches`)
    .option('--since <day>', 'stop at older items: a day, or an age such as 30d (lists of tweets)', parseSince)
    .option('--max-pages <n>', 'stop after n pages (the crawl ends partial)', atLeastOne)
    .addOption(maxRequestsOption())
    .common('db')
    .optionsGroup('Targets:')
    .addOption(fromFileOption('targets'))
    .option('--from-sql <select>', 'also read targets from the first column of a query; a column rest_id has ids')
    .addOption(panelOption('also crawl the members of a panel, by id'))
    .optionsGroup('Snowballs:')
    .option('--then <kinds>', 'also crawl these kinds of each discovered account', listParser)
    .option('--depth <n>', 'number of generations (default: 1)', atLeastOne)
    .option('--max-targets <n>', 'maximum number of discovered accounts, in total', atLeastOne)
    .option('--then-max-pages <n>', 'stop each child crawl after n pages', atLeastOne)
    .optionsGroup(RARE_OPTIONS)
    .option('--full-refresh', 'read the whole list again, including complete intervals (lists of tweets)')
    .option('--no-recheck', 'do not re-check tweets that are missing from the list (timeline, replies)')
    .addOption(maxRequestsPerDayOption())
    .optionsGroup('Options:');

/** Adds the arguments and options of `crawl`, which the help of the command does not repeat. */
export const addOptionsOfCrawl = (command: CliCommand): CliCommand =>
  addCrawlOptions(command)
    .omitsOptions()
    .explains('All options of `trawl crawl` that define crawls apply: see `trawl crawl --help`.');
