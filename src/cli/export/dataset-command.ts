import { Option } from 'commander';
import { isFolderAddress } from '#base/target-address.ts';
import { resolvePath } from '#cli/context.ts';
import { CliCommand } from '#cli/shared/cli-command.ts';
import { authorOption, valueParser } from '#cli/shared/common-options.ts';
import { docsPage } from '#cli/shared/docs-page.ts';
import { DATASET_FORMATS } from '#files/export/dataset/dataset-formats.ts';
import { addPseudonymOptions } from './pseudonym-options.ts';
import { addSelectionOptions } from './selection-options.ts';

const parsePartitions = valueParser(
  (text) => Number(/^account\/([1-9]\d{0,3})$/.exec(text)?.[1]) || undefined,
  'account/ and a number, such as account/64',
);

export function datasetCommand(): CliCommand {
  const command = addSelectionOptions(
    new CliCommand('dataset')
      .summary('write all tables with a description')
      .description(
        'Writes all tables from one snapshot to a new folder or S3, with a README, a data dictionary, coverage and completeness, ' +
          'checksums, datapackage.json (Frictionless) and CITATION.cff, so that others can use them; or to PostgreSQL.',
      )
      .addOption(
        new Option('-o, --output <target>', 'the folder to write, s3://bucket/prefix, or postgres://host/database')
          .argParser((text) => (isFolderAddress(text) ? resolvePath(text) : text))
          .makeOptionMandatory(),
      )
      .addOption(
        new Option('-f, --format <format>', 'the format of the files').choices(DATASET_FORMATS).default('parquet'),
      )
      .addOption(
        new Option(
          '--partition-by <account/n>',
          'split tables into n partitions, by a hash of the account that owns a row',
        ).argParser(parsePartitions),
      )
      .addOption(
        new Option('--ids-only', 'write only the ids of tweets and accounts, which may be shared').conflicts([
          'format',
          'partitionBy',
          'pseudonymise',
        ]),
      )
      .option('--overwrite', 'replace an earlier dataset of that name')
      .option('--title <text>', 'the title of the dataset')
      .addOption(authorOption('an author'))
      .option('--publisher <name>', 'who publishes the dataset')
      .option('--purpose <text>', 'why the data was collected (default: as its jobs say)')
      .option('--ethics-ref <text>', 'the approval of an ethics board (default: as its jobs say)')
      .option('--retention <text>', 'how long the data is kept (default: as its jobs say)'),
  );
  return addPseudonymOptions(command)
    .common('db', 'json')
    .explains(
      `Examples:
  trawl export dataset -o corrections/
  trawl export dataset -o corrections/ --format csv --author "Doe, Jane"
  trawl export dataset -o nasa/ --accounts nasa --since 2025-01-01
  trawl export dataset -o ids/ --ids-only
  trawl export dataset -o shared/ --pseudonymise
  trawl export dataset -o s3://bucket/corrections --partition-by account/64
  trawl export dataset -o "postgres://me@db/research?schema=corrections"

The dataset appears when it is complete. S3 needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, PostgreSQL a password in
PGPASSWORD or ~/.pgpass. Tweets that the service reports as deleted, and accounts that it no longer
shows, are left out and counted. With --accounts, users also has the accounts at the other end of their edges.
With --pseudonymise, the README explains the pseudonyms and the risks that remain; purpose, approval and retention are
those of the options, since those of jobs may name accounts.
--ids-only writes files that trawl crawl tweet --from-file and trawl crawl profile --from-file read. ${docsPage('datasets.md')}
describes the files.

Exit codes: 3 some accounts are not in the database, 130 interrupted (nothing is
written).`,
    )
    .runs(async () => (await import('./dataset-run.ts')).runDatasetExport);
}
