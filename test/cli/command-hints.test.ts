import { expect, test } from 'vitest';
import { buildProgram } from '../../src/cli/program.ts';
import { createDatabaseHints } from '../../src/cli/shared/command-hints.ts';

test('commands in hints name the database of the command, once', () => {
  const hint = '`trawl crawls show 1` tells more; then `trawl work` or `trawl crawl search -- -x`';
  const addDatabaseOption = createDatabaseHints(buildProgram(), "it's mine.db");
  const flag = "--db 'it'\\''s mine.db'";
  const kept = `\`trawl crawls show ${flag} 1\` tells more; then \`trawl work ${flag}\` or \`trawl crawl ${flag} search -- -x\``;
  expect(addDatabaseOption(hint)).toBe(kept);
  expect(addDatabaseOption(kept)).toBe(kept);
  expect(addDatabaseOption('trawl crawls --state failed')).toBe(`trawl crawls ${flag} --state failed`);
  for (const other of ['`trawl serve` starts one', '`trawl demo`', 'what trawl crawls', 'trawl: no', '`trawl crawler`'])
    expect(addDatabaseOption(other)).toBe(other);
});
