import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseMinFree } from '../../config.ts';
import { KIND_NAMES, kindTable } from '../../kinds/kinds.ts';
import { parsePart, type TargetPart } from '../../kinds/target-part.ts';
import { PRIORITIES } from '../../quota/priorities.ts';
import type { BudgetOptions } from '../../run/begin-run.ts';
import type { CrawlRequestOptions } from '../../run/requested-crawls.ts';
import { DEFAULT_CONCURRENCY } from '../../run/run-defaults.ts';
import type { MinFreeSpace } from '../../store/sqlite/disk-space.ts';
import { resolvePath } from '../context.ts';
import {
  type CommonOptions,
  dbOption,
  jsonOption,
  parseDuration,
  parseIntegerFrom,
  parseSince,
  quietOption,
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

const KINDS = KIND_NAMES.map((name) => `  ${name.padEnd(10)} ${kindTable[name].summary}`).join('\n');

export const waitOption = (usual: string): Option =>
  new Option(
    '--wait <duration>',
    'maximum wait during an outage of the service or while the disk is full; after that, the command exits with ' +
      `code 3 and the crawls stay queued (default: ${usual})`,
  ).argParser(parseDuration);

export const minFreeOption = (): Option =>
  new Option(
    '--min-free-disk <size>',
    'pause crawls while less than this disk space is free, such as 500MB or 2% (default: TRAWL_MIN_FREE_DISK, or ' +
      '500MB, at most 5% of the disk)',
  ).argParser((text): MinFreeSpace => {
    const parsed = parseMinFree(text);
    if (parsed === undefined) throw new InvalidArgumentError('It must be a size such as 500MB, or a percentage.');
    return parsed;
  });

export const concurrencyOption = (usual = DEFAULT_CONCURRENCY): Option =>
  new Option('--concurrency <n>', 'maximum number of concurrent crawls of a priority')
    .argParser(parseIntegerFrom(1))
    .default(usual);

export const priorityOption = (): Option =>
  new Option('--priority <priority>', 'priority of the crawls').choices(PRIORITIES).default('interactive');

export const noRawOption = (): Option =>
  new Option('--no-raw', 'do not keep the bodies of pages, which `trawl rebuild` needs');

export const yesOption = (): Option =>
  new Option('-y, --yes', 'skip the confirmation for plans of more than one quota window');

const partOption = (): Option =>
  new Option(
    '--part <i/n>',
    'only targets of part i of n, by a hash of the target: the share of one of n hosts that get the same list',
  ).argParser((text): TargetPart => {
    const part = parsePart(text);
    if (part === undefined) throw new InvalidArgumentError('It must be a part such as 2/3, of at most 1000.');
    return part;
  });

/** Adds the options of commands that crawl in this process until the crawls end, but for those that define the crawls. */
export const addRunOptions = (command: Command): Command =>
  command
    .addOption(jsonOption())
    .addOption(quietOption())
    .addOption(concurrencyOption())
    .addOption(waitOption('5m'))
    .addOption(yesOption())
    .addOption(noRawOption())
    .addOption(minFreeOption());

/** @param does what the command does with the members */
export const panelOption = (does: string): Option =>
  new Option('--panel <panel>', `${does} (\`trawl panel\` lists the panels)`);

export const addBudgetOptions = (command: Command): Command =>
  command
    .option(
      '--max-requests <n>',
      'send at most n requests in total (unfinished crawls end partial)',
      parseIntegerFrom(1),
    )
    .option('--max-requests-per-day <n>', 'pause until the next day (UTC) after n requests', parseIntegerFrom(1));

export const addCrawlOptions = (command: Command): Command =>
  addBudgetOptions(
    command
      .argument('<kind>', 'what to crawl: see Kinds below')
      .argument(
        '[target...]',
        'accounts (nasa, @nasa, id:11348282 or a URL), ids or URLs of tweets, communities or lists, or search strings',
      )
      .option(
        '--from-file <file>',
        'also read targets from a file (- is standard input), one per line; lines that begin with "# " are comments',
        resolvePath,
      )
      .option(
        '--from-sql <select>',
        'also read targets from the first column of a query on the database; values of a column named rest_id are ids',
      )
      .addOption(panelOption('also crawl the members of a panel, by id'))
      .addOption(partOption())
      .option('--max-pages <n>', 'stop after n pages (the crawl ends partial)', parseIntegerFrom(1))
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
      .option('--depth <n>', 'number of generations of the snowball (default: 1)', parseIntegerFrom(1))
      .option(
        '--max-targets <n>',
        'maximum number of discovered accounts, in total for all targets',
        parseIntegerFrom(1),
      )
      .option('--then-max-pages <n>', 'stop each child crawl after n pages', parseIntegerFrom(1)),
  )
    .addOption(dbOption())
    .addHelpText('after', `\nKinds:\n${KINDS}`);

const commaSeparated = (text: string): string[] => text.split(',').map((part) => part.trim());
