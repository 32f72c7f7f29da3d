import { Command, Option } from 'commander';
import { FORMATS } from '../../export/formats/formats.ts';
import type { TWEET_ORDERS } from '../../search/tweet-search.ts';
import type { USER_ORDERS } from '../../search/user-search.ts';
import { loadAction, resolvePath } from '../context.ts';
import { addPseudonymOptions, type PseudonymOptions } from '../export/pseudonym-options.ts';
import { dbOption, jsonOption, parseIntegerFrom } from '../shared/common-options.ts';
import { docsPage } from '../shared/docs-page.ts';

export type SortName = keyof typeof TWEET_ORDERS | keyof typeof USER_ORDERS;

export interface FindOptions extends PseudonymOptions {
  readonly db: string;
  readonly users?: true;
  readonly sort?: SortName;
  readonly limit?: number;
  readonly includeDeleted?: true;
  readonly format?: string;
  readonly json?: true;
  readonly output?: string;
}

const SORTS: readonly SortName[] = ['relevance', 'newest', 'oldest', 'likes', 'followers'];

export function findCommand(): Command {
  const command = new Command('find')
    .summary('search stored tweets or accounts')
    .description(
      'Searches the stored tweets with the words and operators of the service, best match first, and shows where they match. ' +
        'Nothing is fetched.',
    )
    .argument('<query...>', 'words, "a phrase", from:nasa, @nasa, #tag, since:2025-01-31, until:2025-02-01')
    .option('--users', 'search accounts: words and phrases in handles, names and biographies, or @handle')
    .addOption(
      new Option('--sort <order>', 'the order (default: relevance; without words, newest or followers)').choices(SORTS),
    )
    .option('-n, --limit <n>', 'the maximum number of results (20; of a file: all)', parseIntegerFrom(1))
    .option('--include-deleted', 'also show deleted tweets and accounts that the service no longer shows')
    .addOption(dbOption())
    .addOption(
      new Option('-f, --format <format>', 'print rows in this format (of a file: by its extension)').choices(
        Object.keys(FORMATS).filter((name) => name !== 'svg'),
      ),
    )
    .addOption(jsonOption().conflicts(['format', 'output']))
    .addOption(
      new Option('-o, --output <file>', 'write a file, and its origin to <file>.meta.json').argParser(resolvePath),
    );
  return addPseudonymOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  trawl find coffee paris
  trawl find '"good coffee" from:nasa since:2025-01-01' --sort newest
  trawl find '#coffee' --limit 100 --json
  trawl find coffee -o coffee.csv
  trawl find --users journalist berlin

All terms have to match. Case, accents and full or half width are ignored: cafe finds café. Quote phrases and hashtags
for the shell. ${docsPage('search.md')} describes the language, and what is searched in a large database.

Matches are bold on a terminal; elsewhere, or with NO_COLOR, they are between **. --json has the places of matches as
"highlights": start and end in characters (Unicode code points).

--sort: relevance, newest, oldest; likes for tweets; followers for accounts.

Tweets that the service reports as deleted, and accounts that it no longer shows, are left out and counted.`,
    )
    .action(loadAction(async () => (await import('./run.ts')).runFind));
}
