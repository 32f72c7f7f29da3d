import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseMinFree } from '../../config.ts';
import { KIND_NAMES, kindTable } from '../../kinds/kinds.ts';
import type { MinFree } from '../../store/sqlite/disk-space.ts';
import { dbOption, parseDuration, parseSince, parseIntegerFrom } from './common-options.ts';

/** What crawl and enqueue understand in the same way: which crawls are meant. */
export interface CrawlCommandOptions {
  readonly db: string;
  readonly fromFile?: string;
  readonly fromSql?: string;
  readonly maxPages?: number;
  readonly since?: number;
  readonly full?: true;
  readonly verify?: boolean;
  readonly then?: readonly string[];
  readonly depth?: number;
  readonly maxTargets?: number;
  readonly thenMaxPages?: number;
  readonly maxRequests?: number;
  readonly maxRequestsPerDay?: number;
  readonly json?: true;
  readonly quiet?: true;
}

const KINDS = KIND_NAMES.map((name) => `  ${name.padEnd(10)} ${kindTable[name].summary}`).join('\n');

/** How long a command waits for a service that is out. */
export const waitOption = (usual: string): Option =>
  new Option(
    '--wait <duration>',
    `how long to wait for a service that is out, or for room on the disk; then the crawls are kept, exit code 3 (default: ${usual})`,
  ).argParser(parseDuration);

/** How much of the disk stays free. */
export const minFreeOption = (): Option =>
  new Option(
    '--min-free-disk <size>',
    'pause crawls while less of the disk is free, such as 500MB or 2%; else TRAWL_MIN_FREE_DISK (default: 500MB, at most 5% of the disk)',
  ).argParser((text): MinFree => {
    const parsed = parseMinFree(text);
    if (parsed === undefined) throw new InvalidArgumentError('It should be a size such as 500MB, or a percentage.');
    return parsed;
  });

/** What a command may spend. */
export const addBudgetOptions = (command: Command): Command =>
  command
    .option('--max-requests <n>', 'send n requests at most; what is not done by then is partial', parseIntegerFrom(1))
    .option('--max-requests-per-day <n>', 'wait for the next day (UTC) after n requests', parseIntegerFrom(1));

export const addCrawlOptions = (command: Command): Command =>
  addBudgetOptions(
    command
      .argument('<kind>', 'what to crawl: see below')
      .argument(
        '[target...]',
        'accounts as nasa, @nasa, id:11348282 or an address; ids or addresses; or search strings',
      )
      .option('--from-file <file>', 'more targets, one per line, those with "# " left out; - is standard input')
      .option('--from-sql <select>', 'more targets, from the database; a column rest_id is read as ids')
      .option('--max-pages <n>', 'stop after n pages; the crawl is then partial', parseIntegerFrom(1))
      .option(
        '--since <day>',
        'stop at items older than this day, or than an age such as 30d (timeline, replies, community)',
        parseSince,
      )
      .option('--full', 'walk the whole list, also what is known complete (timeline, replies, community)')
      .option('--no-verify', 'do not ask after tweets that are missing from the list (timeline, replies)')
      .option('--then <kinds>', 'a snowball: crawl these kinds, too, of every account that is found', commaSeparated)
      .option('--depth <n>', 'how many generations of them (default: 1)', parseIntegerFrom(1))
      .option('--max-targets <n>', 'how many accounts at most, for all named targets together', parseIntegerFrom(1))
      .option('--then-max-pages <n>', 'stop each crawl of the snowball after n pages', parseIntegerFrom(1)),
  )
    .addOption(dbOption())
    .addHelpText('after', `\nKinds:\n${KINDS}`);

const commaSeparated = (text: string): string[] => text.split(',').map((part) => part.trim());
