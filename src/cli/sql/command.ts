import { Command, Option } from 'commander';
import { loadAction, resolvePath } from '../context.ts';
import { dbOption } from '../shared/common-options.ts';
import { docsPage } from '../shared/docs-page.ts';
import { addChartOptions, type ChartCommandOptions } from './chart-options.ts';
import { parseParameter, type SqlParameters } from './option-parsers.ts';
import { addOutputOptions, type OutputOptions } from './output-options.ts';

export interface SqlCommandOptions extends OutputOptions, ChartCommandOptions {
  readonly db: string;
  readonly file?: string;
  readonly param?: SqlParameters;
}

export function sqlCommand(): Command {
  const command = new Command('sql')
    .summary('query the database')
    .description(
      'Runs one read-only SQL statement, and prints its rows or writes them to a file. The database is never changed.',
    )
    .argument('[statement]', 'SQL statement; - reads it from standard input')
    .addOption(dbOption())
    .addOption(new Option('--file <file>', 'read the statement from a file').argParser(resolvePath))
    .addOption(
      new Option('-p, --param <name=value>', 'the value of :name, as text; name:=value is a number or null').argParser(
        parseParameter,
      ),
    );
  return addChartOptions(addOutputOptions(command))
    .addHelpText(
      'after',
      `
Examples:
  trawl sql "select screen_name, name from v_users order by name limit 10"
  trawl sql "select * from v_tweets where author = :who" -p who=nasa -f csv
  trawl sql "select * from v_follows" -o follows.parquet
  trawl sql --file question.sql -p n:=10 -o answer.xlsx
  trawl sql --file growth.sql -o growth.svg --y followers --series account
  trawl sql - --timeout 30s --memory 500MB -f jsonl < question.sql

The views v_users, v_tweets, v_follows, v_replies, v_hashtags_per_day and v_crawls have handles, ids as text and times
as ISO 8601; tweets_fts and users_fts are for full-text search. See ${docsPage('data-dictionary.md')} for columns, ${docsPage('sql.md')}
for views, and "trawl query" for questions to start from.

  trawl sql "select type, name, sql from sqlite_schema"     all tables and views

Parameters: a value is text, as ids are. Columns of numbers convert it, expressions do not: for count(*) > :n, write
-p n:=10.

Formats: table truncates long cells and fits the terminal width, markdown is for documents; the others hold every value
completely. All are streamed. In csv, null is an empty field and an empty text is "", and formulas are not escaped. In
json, integers beyond 2^53 are strings. Blobs are x'…'. xlsx and parquet need -o.

svg is a chart of the rows. ${docsPage('charts.md')} describes the options, limits and defaults.

A file is written under a temporary name, and gets its name when it is complete. With -o, --timeout or --memory, a child
process runs the statement, and is killed at the limit. --memory counts all memory of the process.

Exit codes: 0 success, 1 failed or stopped at a limit, 2 invalid statement, or one that is not read-only, 130 interrupted.`,
    )
    .action(loadAction(async () => (await import('./run.ts')).runSql));
}
