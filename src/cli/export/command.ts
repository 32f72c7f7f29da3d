import { Argument, Option } from 'commander';
import { resolvePath } from '#cli/context.ts';
import { CliCommand } from '#cli/shared/cli-command.ts';
import { docsPage } from '#cli/shared/docs-page.ts';
import type { FormatName } from '#files/export/formats/formats.ts';
import { exportTables } from '#files/export/tables/export-tables.ts';
import { datasetCommand } from './dataset-command.ts';
import { graphCommand } from './graph-command.ts';
import { addPseudonymOptions } from './pseudonym-options.ts';
import { addSampleOptions, addSelectionOptions } from './selection-options.ts';

const TABLES = Object.values(exportTables)
  .map(({ name, title }) => `  ${name.padEnd(10)} ${title}`)
  .join('\n');

/** Not mandatory for commander, which would require it before a subcommand, too. */
const outputOption = (): Option =>
  new Option('-o, --output <file>', 'the file to write (required); - writes text to stdout').argParser(resolvePath);

export function exportCommand(): CliCommand {
  const command = new CliCommand('export')
    // Subcommands have options of the same names.
    .enablePositionalOptions()
    .summary('write tables to files')
    .description(
      'Writes a table of the database to a file that R, pandas, Excel or DuckDB read, and beside it ' +
        '<file>.meta.json: provenance and completeness.',
    )
    .addArgument(new Argument('[what]', 'the table: see Tables below').choices(Object.keys(exportTables)))
    .addOption(outputOption())
    .addOption(
      new Option('-f, --format <format>', 'the format (default: by the extension of the file; csv for -)').choices([
        ...(['csv', 'xlsx', 'jsonl', 'parquet'] satisfies FormatName[]),
      ]),
    );
  return addPseudonymOptions(addSampleOptions(addSelectionOptions(command)))
    .addCommand(graphCommand())
    .addCommand(datasetCommand())
    .common('db', 'json')
    .explains(
      `Tables:
${TABLES}

Examples:
  trawl export users -o users.xlsx
  trawl export tweets -o tweets.parquet --since 2025-01-01 --until 2026-01-01
  trawl export follows -o edges.csv --accounts nasa,id:11348282
  trawl export tweets -o sample.csv --sample 1000 --seed 7
  trawl export hashtags -o - -f jsonl
  trawl export graph follows -o follows.gexf
  trawl export dataset -o dataset/
  trawl export tweets -o tweets.parquet --pseudonymise

The extension selects the format: .csv, .xlsx (at most 1,048,575 rows), .jsonl or .parquet. Ids are text in all of
them; Excel, R and pandas convert the ids of a csv to numbers and change their last digits unless told otherwise:
${docsPage('exports.md')} has the lines to copy.

--pseudonymise needs no other option; ${docsPage('datasets.md')} says which risks remain. Exports with the same key can be joined. Counts, times, networks and rare words may still identify people.

All rows are read from one snapshot; crawls may continue. The file appears when it is complete, and replaces an
earlier one. Tweets that the service reports as deleted, and accounts that it no longer shows, are left out and
counted.

Exit codes: 3 some accounts are not in the database, or --older-than was given and
stored tweets are unchecked for so long, 130 interrupted (no file is written).`,
    )
    .runs(async () => (await import('./run.ts')).runExport);
}
