import { Option } from 'commander';
import { resolvePath } from '#cli/context.ts';
import { refusePseudonyms } from '#cli/export/pseudonym-options.ts';
import { CliCommand } from '#cli/shared/cli-command.ts';
import { ACCOUNT_FORMS, authorOption } from '#cli/shared/common-options.ts';
import { docsPage } from '#cli/shared/docs-page.ts';
import { olderThanOption } from '#cli/shared/evidence-options.ts';
import type { ReportSubject } from '#files/report/read-report.ts';

/** The subjects of reports: the name of the argument, and its description. */
const SUBJECTS = {
  account: {
    argument: '<account>',
    is: ACCOUNT_FORMS,
    summary: 'an account: its lists, followers, tweets and changes',
  },
  search: {
    argument: '<query>',
    is: 'the search string that was crawled',
    summary: 'a search: its days, tweets and authors',
  },
  job: { argument: '<name>', is: 'the name of the job', summary: 'a scheduled job: its runs and targets' },
} as const satisfies Record<ReportSubject, object>;

export function reportCommand(): CliCommand {
  const command = new CliCommand('report')
    .summary('write a page about the collected data')
    .description(
      'Writes one HTML page about an account, a search or a job: the collected data with dates and requests, its ' +
        'completeness, charts, changes, and a citation. The page has no script, needs no network, and can be printed.',
    )
    .explains(
      `Examples:
  trawl report account nasa -o nasa.html
  trawl report search '"climate change"' -o climate.html
  trawl report job newsroom -o newsroom.html --author "Doe, Jane"

Beside the page, <file>.meta.json has every figure of it, the statements that return them, and checksums. All of it is
read from one snapshot; crawls may continue. Texts of deleted tweets, and of accounts that the service no longer
shows, are left out and counted. ${docsPage('reports.md')} describes the page.`,
    );
  for (const [name, subject] of Object.entries(SUBJECTS)) {
    command.addCommand(createSubjectCommand(name as ReportSubject, subject));
  }
  return command;
}

function createSubjectCommand(
  name: ReportSubject,
  { argument, is, summary }: (typeof SUBJECTS)[ReportSubject],
): CliCommand {
  const command = new CliCommand(name)
    .summary(summary)
    .description(`Writes a page about ${summary}.`)
    .argument(argument, is)
    .addOption(
      new Option('-o, --output <file>', 'the file to write, such as report.html')
        .argParser(resolvePath)
        .makeOptionMandatory(),
    )
    .addOption(authorOption('who collected the data'))
    .option('--include-deleted', 'show texts of deleted tweets and unavailable accounts');
  // The report of a job counts no deletions.
  if (name !== 'job') command.addOption(olderThanOption());
  return refusePseudonyms(command, 'a report is about people')
    .common('db', 'json')
    .explains(
      `Exit codes: 3 with --older-than, if stored tweets are unchecked for so long, 130
interrupted (nothing is written).`,
    )
    .runs(async () => (await import('./run.ts')).runReport.bind(undefined, name));
}
