import { resolvePath } from '#cli/context.ts';
import { CliCommand } from '#cli/shared/cli-command.ts';
import { docsPage } from '#cli/shared/docs-page.ts';
import { addChartOptions } from './chart-options.ts';
import { parseParameter } from './option-parsers.ts';
import { addOutputOptions } from './output-options.ts';

export const sqlCommand = (): CliCommand =>
  addChartOptions(
    addOutputOptions(
      new CliCommand('sql')
        .summary('query the database')
        .description(
          'Runs one read-only SQL statement, and prints its rows or writes them to a file. The database is never changed.',
        )
        .argument('[statement]', 'SQL statement; - reads it from standard input')
        .common('db')
        .option('--file <file>', 'read the statement from a file', resolvePath)
        .option('-p, --param <name=value>', 'the value of :name, as text; name:=10 is a number', parseParameter),
    ),
  )
    .explains(
      `Examples:
  trawl sql "select screen_name, name from v_users order by name limit 10"
  trawl sql "select * from v_tweets where author = :who" -p who=nasa -f csv
  trawl sql "select * from v_follows" -o follows.parquet
  trawl sql --file growth.sql -o growth.svg --y followers --series account
  trawl sql - --timeout 30s --memory 500MB -f jsonl < question.sql
  trawl sql "select type, name, sql from sqlite_schema"     all tables and views

See ${docsPage('reference/data-dictionary.md')} for tables and columns, ${docsPage('sql.md')} for views and
formats, ${docsPage('charts.md')} for charts, and "trawl query" for questions to start from.

A parameter is text, as ids are; for count(*) > :n, write -p n:=10. With -o, --timeout or --memory, a child process runs
the statement, and is killed at the limit. A file gets its name when it is complete.

Exit codes: 1 failed or stopped at a limit, 2 invalid statement, or one that is not read-only.`,
    )
    .runs(async () => (await import('./run.ts')).runSql);
