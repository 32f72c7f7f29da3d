import { CliCommand } from '#cli/shared/cli-command.ts';
import { docsPage } from '#cli/shared/docs-page.ts';
import { MISSING_DATA_HELP } from '#cli/shared/evidence-options.ts';
import { addOutputOptions } from '#cli/sql/output-options.ts';

export const queryCommand = (): CliCommand =>
  new CliCommand('query')
    .summary('answer saved questions')
    .description(
      'Lists, explains and runs saved queries: questions about the collected data. Without a subcommand, lists them.',
    )
    // `run` leaves the words after the name of a query to the command of the query.
    .enablePositionalOptions()
    .addCommand(
      new CliCommand('list')
        .description('Lists the queries by topic.')
        .argument('[word]', 'only queries with this text in their name, question or topic')
        .common('json')
        .runs(async () => (await import('./list.ts')).printQueryList),
      { isDefault: true },
    )
    .addCommand(
      new CliCommand('show')
        .description('Prints the question, description, parameters, needs and statement of a query.')
        .argument('<query>', QUERY_FORMS)
        .common('json')
        .runs(async () => (await import('./show.ts')).printQuery),
    )
    .addCommand(runCommand())
    .explains(
      `Examples:
  trawl query show mutual-follows
  trawl query run mutual-follows --account nasa

Your own queries: *.sql in the folders of TRAWL_QUERIES, or in the folder queries of the working directory. A query of
yours replaces one of the same name. ${docsPage('questions.md')} describes all queries and the format of their files.`,
    );

const QUERY_FORMS = 'the name of the query, or its file (question.sql)';

const runCommand = (): CliCommand =>
  addOutputOptions(
    new CliCommand('run')
      .usage('<query> [parameters] [options]')
      .description(
        'Runs a query on the database, and prints its rows or writes them to a file. The parameters of the query are ' +
          'options: `trawl query run mutual-follows --help` shows them.',
      )
      .argument('<query>', QUERY_FORMS)
      .argument('[parameter...]', 'its parameters, such as --account nasa, and the options below')
      .passThroughOptions()
      .common('db'),
  )
    .explains(
      `${MISSING_DATA_HELP}

Examples:
  trawl query run activity-by-hour --account nasa --since 90d -f csv
  trawl query run mutual-follows --account id:11348282 -o friends.xlsx`,
    )
    .runs(async () => (await import('./run.ts')).runNamedQuery);
