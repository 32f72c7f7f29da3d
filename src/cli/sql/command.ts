import { text } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import type { RowFormat } from '../../analysis/sql/formats.ts';
import { dbOption } from '../shared/common-options.ts';

interface SqlCommandOptions {
  readonly db: string;
  readonly format: RowFormat;
  readonly json?: true;
}

export function sqlCommand(): Command {
  return new Command('sql')
    .summary('ask the database in SQL')
    .description('Runs one reading SQL statement on the database and prints its rows. Nothing is ever changed.')
    .argument('<statement>', 'what to run; - reads it from standard input')
    .addOption(dbOption())
    .addOption(
      new Option('-f, --format <format>', 'how rows are printed')
        .choices(['table', 'csv', 'json', 'jsonl'])
        .default('table'),
    )
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .addHelpText(
      'after',
      `
Examples:
  trawl sql "select screen_name, name from v_users order by name limit 10"
  trawl sql "select * from v_tweets where author = 'nasa'" -f csv > nasa.csv
  trawl sql "select rowid from tweets_fts where tweets_fts match 'moon'"
  trawl sql - --format jsonl < question.sql

v_users, v_tweets, v_follows, v_replies, v_hashtags_per_day and v_crawls have handles, ids as text and times as ISO 8601;
tweets_fts and users_fts search for words. Columns are in docs/data-dictionary.md, questions to start from in docs/sql.md.

  trawl sql "select type, name, sql from sqlite_schema"     all that there is

A table is for the eye: long cells are cut, and more of them where a terminal is narrow. csv, json and jsonl are whole, and of any length. In csv null is an empty
field and an empty text is "", and texts that a spreadsheet would take for a formula are left as they are. In json a
whole number beyond 2^53 is a text, so that no digit is lost. Blobs are x'…'.

Exit codes: 0 answered, 2 the statement is wrong or would change something, 1 failed.`,
    )
    .action(async (statement: string, { db, format, json }: SqlCommandOptions) => {
      const [{ openQuery }, formats, { writeStream }, { getTerminalWidth }] = await Promise.all([
        import('../../analysis/sql/query.ts'),
        import('../../analysis/sql/formats.ts'),
        import('../../analysis/sql/write-stream.ts'),
        import('../terminal/table.ts'),
      ]);
      const sql = statement === '-' ? await text(process.stdin) : statement;
      using query = openQuery({ db, sql });
      await writeStream(formats.formatRows(query, json ? 'json' : format, getTerminalWidth()), process.stdout);
    });
}
