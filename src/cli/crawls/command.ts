import { Command, InvalidArgumentError, Option } from 'commander';
import { KIND_NAMES } from '../../kinds/kinds.ts';
import { CRAWL_STATES } from '../../store/schema/crawl-states.ts';
import { dbOption, jsonOption, parseIntegerFrom } from '../shared/common-options.ts';
import type { CrawlIdsOptions } from './cancel-resume.ts';
import type { CrawlListOptions } from './list.ts';

export function crawlsCommand(): Command {
  return new Command('crawls')
    .summary('list, explain, cancel and resume crawls')
    .description('Shows and steers the crawls of the database, those that are under way and those that have ended.')
    .addCommand(listCommand(), { isDefault: true })
    .addCommand(showCommand())
    .addCommand(cancelCommand())
    .addCommand(resumeCommand())
    .addHelpText(
      'after',
      `
A crawl is queued, running or paused while it is unfinished. It ends complete, capped (all that the service shows is
stored, and more may exist), partial, failed or cancelled.

Examples:
  trawl crawls list --state failed partial
  trawl crawls show 5
  trawl crawls cancel 5 6
  trawl crawls resume 5`,
    );
}

function listCommand(): Command {
  return new Command('list')
    .summary('the newest crawls')
    .description('Lists crawls, newest first.')
    .addOption(new Option('--state <state...>', 'only those in these states').choices(CRAWL_STATES))
    .addOption(new Option('--kind <kind...>', 'only those of these kinds').choices(KIND_NAMES))
    .option('--limit <n>', 'how many at most', parseIntegerFrom(1), 50)
    .addOption(dbOption())
    .addOption(jsonOption())
    .action(async (words: CrawlListOptions) => {
      const { printCrawlList } = await import('./list.ts');
      await printCrawlList(words);
    });
}

function showCommand(): Command {
  return new Command('show')
    .summary('explain crawls: how far they are, why they ended, what to do next')
    .description(
      'Explains crawls: what was asked for, how far they are or how they ended and why, what came of them, the requests\n' +
        "that they cost, what is stored beside the service's own count, what could not be stored, and what to do next.",
    )
    .argument('<id...>', 'the numbers of crawls', numbers)
    .addOption(dbOption())
    .addOption(jsonOption())
    .action(async (ids: number[], words: CrawlIdsOptions) => {
      const { printCrawls } = await import('./show.ts');
      await printCrawls(ids, words);
    });
}

function cancelCommand(): Command {
  return new Command('cancel')
    .summary('end unfinished crawls')
    .description(
      'Ends unfinished crawls as cancelled, with the crawls that came of them, unless others want those, too. What they\n' +
        'stored stays. A worker that has one finds out at its next page, and stores nothing of it any more.',
    )
    .argument('<id...>', 'the numbers of crawls', numbers)
    .addOption(dbOption())
    .addOption(jsonOption())
    .action(async (ids: number[], words: CrawlIdsOptions) => {
      const { cancelCrawls } = await import('./cancel-resume.ts');
      await cancelCrawls(ids, words);
    });
}

function resumeCommand(): Command {
  return new Command('resume')
    .summary('go on with crawls that ended before their end')
    .description(
      'Puts crawls that ended partial, failed or cancelled back in line, to go on after their last page. `trawl work` works\n' +
        'on them: at once where its queue can be reached from here, else within a minute, or when it starts.',
    )
    .argument('[id...]', 'the numbers of crawls', numbers)
    .option(
      '--reason <reason>',
      'all that ended for this reason, such as unreachable, and were not crawled again since',
    )
    .option('--max-pages <n>', 'stop after n pages more; the crawl is then partial again', parseIntegerFrom(1))
    .option('--max-requests <n>', 'send n requests more at most, for all of them together', parseIntegerFrom(1))
    .option('--max-requests-per-day <n>', 'wait for the next day (UTC) after n requests', parseIntegerFrom(1))
    .addOption(dbOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
A crawl that stopped at its --max-pages goes on without that limit, or for n pages more. Other limits stay.
One whose run had spent its budget (--max-requests, a job's budget) goes on without one, or with a new one.
With a snowball go on those of its crawls that were cancelled, that could not reach the service, or had no budget left.
One that came to the end of its list has nothing to go on with: crawl it again.

Examples:
  trawl crawls resume 5 && trawl work --drain
  trawl crawls resume 5 --max-pages 10
  trawl crawls resume --reason unreachable

Exit codes: 0 all go on, 1 some cannot.`,
    )
    .action(async (ids: number[] | undefined, words: CrawlIdsOptions) => {
      const { resumeCrawls } = await import('./cancel-resume.ts');
      process.exitCode = await resumeCrawls(ids ?? [], words);
    });
}

/** Collects the numbers of crawls, each once. */
function numbers(text: string, before: readonly number[] = []): number[] {
  const id = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(id)) {
    throw new InvalidArgumentError('It should be the number of a crawl; `trawl crawls list` shows them.');
  }
  return [...new Set([...before, id])];
}
