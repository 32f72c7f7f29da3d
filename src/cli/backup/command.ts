import { CliCommand } from '#cli/shared/cli-command.ts';
import { docsPage } from '#cli/shared/docs-page.ts';

export const backupCommand = (): CliCommand =>
  new CliCommand('backup')
    .summary('copy the database to a new file while workers write')
    .description(
      'Copies the database as it is at one moment to a new file, and checks the copy. It never overwrites a file; if ' +
        'killed, run it again. Erasures go with it as <file>.tombstones.',
    )
    .argument('<file>', 'the new file')
    .common('db', 'json')
    .explains(
      `Example:
  trawl backup mine-2026-01-31.db

${docsPage('recovery.md')} describes how to restore it. The API keys of a twin are not copied.`,
    )
    .writes(async () => (await import('./run.ts')).runBackup);
