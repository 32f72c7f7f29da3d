import { Command } from 'commander';
import { loadAction } from '../context.ts';
import { dbOption, jsonOption, quietOption } from '../shared/common-options.ts';
import { docsPage } from '../shared/docs-page.ts';

export function backupCommand(): Command {
  return new Command('backup')
    .summary('copy the database to a new file while workers write')
    .description(
      'Copies the database as it is at one moment to a new file, and checks the copy. Workers go on meanwhile. The ' +
        'file gets its name when it is complete, and replaces nothing: after a kill, begin again. Erasures go with it ' +
        'as <file>.tombstones.',
    )
    .argument('<file>', 'the new file')
    .addOption(dbOption())
    .addOption(jsonOption())
    .addOption(quietOption())
    .addHelpText(
      'after',
      `
Examples:
  trawl backup mine-2026-01-31.db
  trawl backup /mnt/backup/mine.db --db mine.db
  trawl backup copy.db --json    with the SHA-256 and the rows of each table

${docsPage('operating/recovery.md')} describes how to restore it. The API keys of a twin
(mine.db-quota) are not copied. Exit codes: 0 copied and checked, 1 failed,
2 the file exists, 130 interrupted: then nothing is left of it.`,
    )
    .action(loadAction(async () => (await import('./run.ts')).runBackup));
}
