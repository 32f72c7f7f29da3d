import { Option } from 'commander';
import { CRAWL_SORTS } from '#analysis/crawls/crawl-sorts.ts';
import { CliCommand } from '#cli/shared/cli-command.ts';
import { hint } from '#cli/shared/command-hints.ts';
import { parseIntegerFrom, valueParser } from '#cli/shared/common-options.ts';
import { addBudgetOptions } from '#cli/shared/crawl-options.ts';
import { KIND_NAMES } from '#service/kinds/kinds.ts';
import { PRIORITIES } from '#service/quota/priorities.ts';
import { CRAWL_STATES } from '#store/schema/tables/crawl-states.ts';

const idsCommand = (name: string, ids = '<id...>'): CliCommand =>
  new CliCommand(name).argument(ids, 'crawl ids, as `trawl crawls` lists them', crawlIds).common('db', 'json');

export const crawlsCommand = (): CliCommand =>
  new CliCommand('crawls')
    .summary('list, explain, cancel and resume crawls')
    .description('Lists, explains, cancels and resumes crawls. Without a subcommand, lists the newest crawls.')
    .addCommand(listCommand(), { isDefault: true })
    .addCommand(
      idsCommand('show')
        .summary('explain crawls: progress, result, reason, next step')
        .description('Explains crawls: options, progress, result and reason, child crawls, requests and the next step.')
        .runs(async () => (await import('./show.ts')).printCrawls),
    )
    .addCommand(
      idsCommand('cancel')
        .summary('cancel unfinished crawls')
        .description('Cancels unfinished crawls and their child crawls. Stored rows are kept.')
        .writes(async () => (await import('./change-crawls.ts')).cancelCrawls),
    )
    .addCommand(resumeCommand())
    .explains(
      `An unfinished crawl is queued, running or paused. It ends complete, capped (everything the service shows is stored,
but more may exist), partial, failed or cancelled.

Examples:
  trawl crawls --state failed partial
  trawl crawls list --job nightly --target nasa --sort requests
  trawl crawls show 5
  trawl crawls resume 5`,
    );

const listCommand = (): CliCommand =>
  new CliCommand('list')
    .summary('list crawls, by default the newest')
    .description('Lists crawls: by default the newest first, otherwise the largest first, or targets from A to Z.')
    .addOption(new Option('--state <state...>', 'only crawls in these states').choices(CRAWL_STATES))
    .addOption(new Option('--kind <kind...>', 'only crawls of these kinds').choices(KIND_NAMES))
    .option('--reason <reason...>', 'only crawls that ended or wait for these reasons, such as not_found')
    .addOption(new Option('--priority <priority...>', 'only crawls with these priorities').choices(PRIORITIES))
    .option('--job <name...>', 'only crawls of these jobs')
    .option('--target <text>', 'only crawls whose target contains this text, or has this id')
    .addOption(new Option('--sort <column>', 'order of the crawls').choices(CRAWL_SORTS).default('id'))
    .option('--reverse', 'in the opposite order')
    .option('--limit <n>', 'maximum number of crawls', parseIntegerFrom(1), 50)
    .common('db', 'json')
    .runs(async () => (await import('./list.ts')).printCrawlList);

const resumeCommand = (): CliCommand =>
  addBudgetOptions(idsCommand('resume', '[id...]'))
    .summary('resume crawls that ended partial, failed or cancelled')
    .description(
      'Queues partial, failed or cancelled crawls again, and their child crawls. They resume from their last page. ' +
        '`trawl work` runs them.',
    )
    .option(
      '--reason <reason>',
      'all crawls with this end reason, such as unreachable, except those that a later crawl repeats or replaces',
    )
    .option('--max-pages <n>', 'stop after n more pages (the crawl ends partial again)', parseIntegerFrom(1))
    .explains(
      `A crawl that stopped at a limit (--max-pages, --max-requests) continues without it, or with a new one. A crawl that
reached the end of its list cannot be resumed: crawl it again.

Examples:
  trawl crawls resume 5 && trawl work --exit-when-idle
  trawl crawls resume --reason unreachable

Exit codes: 0 all crawls were resumed, 1 some could not be resumed.`,
    )
    .writes(async () => (await import('./change-crawls.ts')).resumeCrawls);

/** Collects crawl ids, each once. */
function crawlIds(text: string, before: readonly number[] = []): number[] {
  const parse = valueParser(
    (id) => (/^\d+$/.test(id) && Number.isSafeInteger(Number(id)) ? Number(id) : undefined),
    `the id of a crawl; ${hint('crawls')} lists them`,
  );
  return [...new Set([...before, parse(text)])];
}
