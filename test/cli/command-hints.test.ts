import { expect, test } from 'vitest';
import { describeError } from '#base/errors.ts';
import { runInContext } from '#cli/context.ts';
import { hint } from '#cli/shared/command-hints.ts';
import { describeSqliteError } from '#store/sqlite/database-errors.ts';
import { runCli } from '../support/cli.ts';

test('a command in a hint names the database that was typed, and no other', async () => {
  expect(hint('crawls resume', '1 2')).toBe('`trawl crawls resume 1 2`');
  const refused = Object.assign(new Error('no'), { code: 'SQLITE_MISUSE' });
  expect(describeError(describeSqliteError(refused))).toMatch(
    /\n {2}Nothing was lost. `trawl doctor` checks the database\.$/,
  );

  const typed = { typedDatabase: "it's mine.db" } as Parameters<typeof runInContext>[0];
  runInContext(typed, () => {
    const option = "--db 'it'\\''s mine.db'";
    expect(hint('crawls resume', '1 2')).toBe(`\`trawl crawls resume ${option} 1 2\``);
    expect(describeError(describeSqliteError(refused), hint)).toContain(`\`trawl doctor ${option}\` checks`);
  });

  const wrong = ['crawls', 'show', 'x'];
  expect((await runCli([...wrong, '--db', 'a.db'])).stderr).toMatch(/`trawl crawls --db \S*a\.db` lists them/);
  expect((await runCli(wrong, { env: { TRAWL_DB: 'a.db' } })).stderr).toContain('`trawl crawls` lists them');
});
