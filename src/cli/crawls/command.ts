import { Command, InvalidArgumentError, Option } from 'commander';
import { KIND_NAMES } from '../../kinds/kinds.ts';
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
An unfinished crawl is queued, running or paused. It ends complete, capped (all that the service shows is stored, and
more may exist), partial, failed or cancelled.

Examples:
  trawl crawls --state failed partial
  trawl crawls show 5
  trawl crawls cancel 5 6
  trawl crawls resume 5`,
    );
}

function listCommand(): Command {
  return new Command('list')
    .summary('list the newest crawls')
    .description('Lists crawls, newest first.')
    .addOption(new Option('--state <state...>', 'only crawls in these states').choices(CRAWL_STATES))
    .addOption(new Option('--kind <kind...>', 'only crawls of these kinds').choices(KIND_NAMES))
    .option('--limit <n>', 'maximum number of crawls', parseIntegerFrom(1), 50)
    .addOption(dbOption())
    .addOption(jsonOption())
    .action(loadAction(async () => (await import('./list.ts')).printCrawlList));
}

function showCommand(): Command {
  return new Command('show')
    .summary('explain crawls: progress, result, reason, next step')
    .description(
      'Explains crawls: options, progress or result with the reason, child crawls, requests, stored rows beside the\n' +
        "service's own count, rejected items, and the next step.",
    )
    .argument('<id...>', 'ids of crawls', crawlIds)
    .addOption(dbOption())
    .addOption(jsonOption())
    .action(loadAction(async () => (await import('./show.ts')).printCrawls));
}

function cancelCommand(): Command {
  return new Command('cancel')
    .summary('cancel unfinished crawls')
    .description(
      'Cancels unfinished crawls and their child crawls, except those that another crawl needs. Stored rows are kept. A\n' +
        'worker stops at the next page of a cancelled crawl, and stores nothing more of it.',
    )
    .argument('<id...>', 'ids of crawls', crawlIds)
    .addOption(dbOption())
    .addOption(jsonOption())
    .action(loadAction(async () => (await import('./cancel-resume.ts')).cancelCrawls));
}

function resumeCommand(): Command {
  return new Command('resume')
    .summary('resume crawls that ended partial, failed or cancelled')
    .description(
      'Queues crawls again that ended partial, failed or cancelled. They continue after their last page. `trawl work` runs\n' +
        'them: immediately if its queue can be reached, otherwise within a minute or when it starts.',
    )
    .argument('[id...]', 'ids of crawls', crawlIds)
    .option(
      '--reason <reason>',
      'all crawls that ended with this reason, such as unreachable, and were not repeated since',
    )
    .option('--max-pages <n>', 'stop after n more pages; the crawl is partial again then', parseIntegerFrom(1))
    .option('--max-requests <n>', 'send at most n more requests, for all crawls together', parseIntegerFrom(1))
    .option('--max-requests-per-day <n>', 'wait for the next day (UTC) after n requests', parseIntegerFrom(1))
    .addOption(dbOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
A crawl that stopped at --max-pages continues without that limit, or for n more pages. Other limits stay.
A crawl whose run spent its budget (--max-requests, the budget of a job) continues without a budget, or with a new one.
A snowball resumes its child crawls that were cancelled, could not reach the service, or had no budget left.
A crawl that reached the end of its list cannot be resumed: crawl it again.

Examples:
  trawl crawls resume 5 && trawl work --exit-when-idle
  trawl crawls resume 5 --max-pages 10
  trawl crawls resume --reason unreachable

Exit codes: 0 all are resumed, 1 some cannot be resumed.`,
    )
    .action(loadAction(async () => (await import('./cancel-resume.ts')).resumeCrawls));
}

/** Collects ids of crawls, each once. */
function crawlIds(text: string, before: readonly number[] = []): number[] {
  const id = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(id)) {
    throw new InvalidArgumentError(`It must be the id of a crawl; ${hint('crawls')} lists them.`);
  }
  return [...new Set([...before, id])];
}
