import { Command } from 'commander';
import { loadAction } from '../context.ts';
import { dbOption, jsonOption } from '../shared/common-options.ts';
import { docsPage } from '../shared/docs-page.ts';
import type { EvidenceOptions } from '../shared/evidence-options.ts';
import { addOutputOptions, type OutputOptions } from '../sql/output-options.ts';

export interface QueryRunOptions extends OutputOptions, EvidenceOptions {
  readonly db: string;
}

export function queryCommand(): Command {
  return (
    new Command('query')
      .summary('answer saved questions')
      .description(
        'Lists, explains and runs saved queries: questions about the collected data, each with a description, ' +
          'parameters, and what it needs to have been crawled. Without a subcommand, lists them.',
      )
      // `run` leaves the words after the name of a query to the command of the query.
      .enablePositionalOptions()
      .addCommand(listCommand(), { isDefault: true })
      .addCommand(showCommand())
      .addCommand(runCommand())
      .addHelpText(
        'after',
        `
Examples:
  trawl query
  trawl query show mutual-follows
  trawl query run mutual-follows --account nasa

Your own queries: *.sql in the folders of TRAWL_QUERIES, or in the folder queries of the working directory. A query of
yours replaces one of the same name. ${docsPage('queries.md')} describes all queries and the format of their files.`,
      )
  );
}

function listCommand(): Command {
  return new Command('list')
    .summary('list the queries')
    .description('Lists the queries by topic.')
    .argument('[word]', 'only queries with this text in their name, question or topic')
    .addOption(jsonOption())
    .action(loadAction(async () => (await import('./list.ts')).printQueryList));
}

function showCommand(): Command {
  return new Command('show')
    .summary('explain a query')
    .description('Prints the question, description, parameters, needs and statement of a query.')
    .argument('<query>', 'the name of the query, or its file (question.sql)')
    .addOption(jsonOption())
    .action(loadAction(async () => (await import('./show.ts')).printQuery));
}

function runCommand(): Command {
  const command = new Command('run')
    .summary('answer a question')
    .usage('<query> [parameters] [options]')
    .description(
      'Runs a query on the database, and prints its rows or writes them to a file. The parameters of the query are ' +
        'options: `trawl query run mutual-follows --help` shows them.',
    )
    .argument('<query>', 'the name of the query, or its file (question.sql)')
    .argument('[parameter...]', 'its parameters, such as --account nasa, and the options below')
    .passThroughOptions()
    .addOption(dbOption());
  return addOutputOptions(command)
    .addHelpText(
      'after',
      `${STATEMENTS}

Examples:
  trawl query run mutual-follows --account nasa
  trawl query run activity-by-hour --account nasa --since 90d -f csv
  trawl query run mutual-follows --account id:11348282 -o friends.xlsx`,
    )
    .action(loadAction(async () => (await import('./run.ts')).runNamedQuery));
}

/** What `query run` says besides the rows, for its help and that of each query. */
export const STATEMENTS = `
On stderr, it says what the rows lack:
  no results          nothing in the collected data matches
  not collected       the query needs data that no crawl has read; the
                      command that collects it is shown
  collected in part   a crawl stopped early; more can be collected
  not available       the service does not show it, or no more of it
  not checked         stored tweets were not checked for 30 days, or the age
                      of --older-than; the command that checks them is shown

Exit codes: 0 answered, also without results, 1 failed, stopped at a limit, or the account is not in the database,
2 usage error, 3 answered, but data was not collected or only in part (with --older-than, also not checked),
130 interrupted.`;
