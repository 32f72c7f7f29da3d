import { text } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import type { FormatName } from '../../export/formats/formats.ts';
import { getContext } from '../context.ts';
import { dbOption } from '../shared/common-options.ts';

interface SqlCommandOptions {
  readonly db: string;
  readonly format: FormatName;
  readonly json?: true;
}

export function sqlCommand(): Command {
  return new Command('sql')
    .summary('query the database')
    .description('Runs one read-only SQL statement and prints its rows. The database is never changed.')
    .argument('<statement>', 'SQL statement; - reads it from standard input')
    .addOption(dbOption())
    .addOption(
      new Option('-f, --format <format>', 'output format').choices(['table', 'csv', 'json', 'jsonl']).default('table'),
    )
    .addOption(new Option('--json', 'same as --format json').conflicts('format'))
    .addHelpText(
      'after',
      `
Examples:
  trawl sql "select screen_name, name from v_users order by name limit 10"
  trawl sql "select * from v_tweets where author = 'nasa'" -f csv > nasa.csv
  trawl sql "select rowid from tweets_fts where tweets_fts match 'moon'"
  trawl sql - --format jsonl < question.sql

The views v_users, v_tweets, v_follows, v_replies, v_hashtags_per_day and v_crawls have handles, ids as text and times
as
ISO 8601; tweets_fts and users_fts are for full-text search. See docs/data-dictionary.md for columns and docs/sql.md
for examples.

  trawl sql "select type, name, sql from sqlite_schema"     all tables and views

The table format truncates long cells and fits the terminal width. csv, json and jsonl are lossless and streamed. In
csv, null is an empty field and an empty text is "", and formulas are not escaped. In json,
integers beyond 2^53 are strings. Blobs are x'…'.

Exit codes: 0 success, 1 failed, 2 invalid statement, or one that is not read-only.`,
    )
    .action(async (statement: string, { db, format, json }: SqlCommandOptions) => {
      const [{ openQuery }, { FORMATS }, { toResultSet }, { writeStream }, { getTerminalWidth }] = await Promise.all([
        import('../../analysis/sql/query.ts'),
        import('../../export/formats/formats.ts'),
        import('../../export/result-set.ts'),
        import('../../export/write-stream.ts'),
        import('../terminal/table.ts'),
      ]);
      const { streams } = getContext();
      const sql = statement === '-' ? await text(streams.stdin) : statement;
      using query = openQuery({ db, sql });
      await writeStream(streams.stdout, (sink) =>
        FORMATS[json ? 'json' : format].write(toResultSet(query), sink, { width: getTerminalWidth() }),
      );
    });
}
