import { Command, InvalidArgumentError, Option } from 'commander';
import { CRAWL_SORTS } from '../../analysis/crawls/crawl-sorts.ts';
import { KIND_NAMES } from '../../kinds/kinds.ts';
import { PRIORITIES } from '../../quota/priorities.ts';
import { CRAWL_STATES } from '../../store/schema/tables/crawl-states.ts';
import { loadAction } from '../context.ts';
import { hint } from '../shared/command-hints.ts';
import { dbOption, jsonOption, parseIntegerFrom } from '../shared/common-options.ts';

export function crawlsCommand(): Command {
  return new Command('crawls')
    .summary('list, explain, cancel and resume crawls')
    .description('Lists, explains, cancels and resumes crawls. Without a subcommand, lists the newest crawls.')
    .addCommand(listCommand(), { isDefault: true })
    .addCommand(showCommand())
    .addCommand(cancelCommand())
    .addCommand(resumeCommand())
    .addHelpText(
      'after',
      `
An unfinished crawl is queued, running or paused. It ends complete, capped (everything the service shows is stored,
but more may exist), partial, failed or cancelled.

Examples:
  trawl crawls --state failed partial
  trawl crawls list --job nightly --target nasa --sort requests
  trawl crawls show 5
  trawl crawls cancel 5 6
  trawl crawls resume 5`,
    );
}

function listCommand(): Command {
  return new Command('list')
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
    .addOption(dbOption())
    .addOption(jsonOption())
    .action(loadAction(async () => (await import('./list.ts')).printCrawlList));
}

function showCommand(): Command {
  return new Command('show')
    .summary('explain crawls: progress, result, reason, next step')
    .description(
      'Explains crawls: options, progress, result and reason, child crawls, requests, stored rows compared with ' +
        "the service's count, rejected items, and the next step.",
    )
    .argument('<id...>', 'crawl ids, as `trawl crawls` lists them', crawlIds)
    .addOption(dbOption())
    .addOption(jsonOption())
    .action(loadAction(async () => (await import('./show.ts')).printCrawls));
}

function cancelCommand(): Command {
  return new Command('cancel')
    .summary('cancel unfinished crawls')
    .description(
      'Cancels unfinished crawls and their child crawls, except those that another crawl needs. Stored rows are ' +
        'kept. A worker stops a cancelled crawl at its next page, and does not store that page.',
    )
    .argument('<id...>', 'crawl ids, as `trawl crawls` lists them', crawlIds)
    .addOption(dbOption())
    .addOption(jsonOption())
    .action(loadAction(async () => (await import('./cancel-resume.ts')).cancelCrawls));
}

function resumeCommand(): Command {
  return new Command('resume')
    .summary('resume crawls that ended partial, failed or cancelled')
    .description(
      'Queues partial, failed or cancelled crawls again. They continue after their last page. `trawl work` runs ' +
        'them: immediately if its queue can be reached, otherwise within a minute or when it starts.',
    )
    .argument('[id...]', 'crawl ids, as `trawl crawls` lists them', crawlIds)
    .option(
      '--reason <reason>',
      'resume all crawls with this end reason, such as unreachable, that were not repeated later',
    )
    .option('--max-pages <n>', 'stop after n more pages (the crawl ends partial again)', parseIntegerFrom(1))
    .option('--max-requests <n>', 'send at most n more requests in total', parseIntegerFrom(1))
    .option('--max-requests-per-day <n>', 'pause until the next day (UTC) after n requests', parseIntegerFrom(1))
    .addOption(dbOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
A crawl that stopped at --max-pages continues without that limit, or for n more pages. Other limits stay.
A crawl whose run spent its budget (--max-requests, the budget of a job) continues without a budget, or with a new one.
Resuming a snowball also resumes child crawls that were cancelled, unreachable or out of budget.
A crawl that reached the end of its list cannot be resumed: crawl it again.

Examples:
  trawl crawls resume 5 && trawl work --exit-when-idle
  trawl crawls resume 5 --max-pages 10
  trawl crawls resume --reason unreachable

Exit codes: 0 all crawls were resumed, 1 some could not be resumed.`,
    )
    .action(loadAction(async () => (await import('./cancel-resume.ts')).resumeCrawls));
}

/** Collects crawl ids, each once. */
function crawlIds(text: string, before: readonly number[] = []): number[] {
  const id = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(id)) {
    throw new InvalidArgumentError(`It must be the id of a crawl; ${hint('crawls')} lists them.`);
  }
  return [...new Set([...before, id])];
}
