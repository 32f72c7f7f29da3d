import { Option } from 'commander';
import { addPseudonymOptions } from '#cli/export/pseudonym-options.ts';
import { CliCommand } from '#cli/shared/cli-command.ts';
import { jsonOption, parseIntegerFrom } from '#cli/shared/common-options.ts';
import { docsPage } from '#cli/shared/docs-page.ts';
import { formatOption, outputOption } from '#cli/sql/output-options.ts';
import { FORMATS } from '#files/export/formats/formats.ts';
import type { SortName } from './export-found.ts';

const SORTS: readonly SortName[] = ['relevance', 'newest', 'oldest', 'likes', 'followers'];

/** What follows the error about a word that the shell gave as an option. */
const QUOTED = "\n  Quote a query that leaves out a word: trawl find 'tea -coffee'";

export function findCommand(): CliCommand {
  const command = new CliCommand('find')
    .summary('search stored tweets or accounts')
    .description(
      'Searches the stored tweets with words and operators, best match first, and shows where they ' +
        'match. Nothing is fetched.',
    )
    .argument(
      '<query...>',
      'words, "a phrase", tea OR coffee, -word, from:nasa, @nasa, #tag, since:2025-01-31, until:2025-02-01',
    )
    .option('--users', 'search accounts: words and phrases in handles, names and biographies, or @handle')
    .addOption(
      new Option(
        '--sort <order>',
        'the order: likes of tweets, followers of accounts (default: relevance; without words, newest or followers)',
      ).choices(SORTS),
    )
    .option('-n, --limit <n>', 'the maximum number of results (20; of a file: all)', parseIntegerFrom(1))
    .option('--include-deleted', 'also show deleted tweets and accounts that the service no longer shows')
    .common('db', 'quiet')
    .addOption(formatOption(Object.keys(FORMATS).filter((name) => name !== 'svg')))
    .addOption(jsonOption().conflicts(['format', 'output']))
    .addOption(outputOption())
    .explains(
      `Examples:
  trawl find coffee paris
  trawl find '"good coffee" -decaf from:nasa since:2025-01-01' --sort newest
  trawl find coffee -o coffee.csv
  trawl find --users journalist berlin

All terms have to match. Case, accents and full or half width are ignored: cafe finds café. Quote phrases, hashtags
and -word for the shell. ${docsPage('find.md')} describes the language.

Matches are bold on a terminal, and between ** elsewhere. --json has their places as "highlights", in Unicode code
points. Deleted tweets and unavailable accounts are left out and counted.`,
    )
    .runs(async () => (await import('./run.ts')).runFind);
  addPseudonymOptions(command);
  const fail = command.error.bind(command);
  command.error = (message, options) => fail(`${message}${/unknown option '-\w/.test(message) ? QUOTED : ''}`, options);
  return command;
}
