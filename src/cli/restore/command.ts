import { CliCommand } from '../shared/cli-command.ts';
import { docsPage } from '../shared/docs-page.ts';
import { backlogOption } from '../ship/backlog-option.ts';

export const restoreCommand = (): CliCommand =>
  new CliCommand('restore')
    .summary('restore a lost database from its shipped facts')
    .description(
      'Creates the database of a machine that was lost, from the facts that it has shipped to a target: accounts, tweets, ' +
        'edges, replies, coverage, crawls, requests, evidence of deletions, and forgotten accounts. Unfinished crawls ' +
        'start again at the top of their lists. The database keeps its identity and continues to ship to the target: the ' +
        'lost one must not be used again. The file gets its name when it is complete. The command never overwrites a ' +
        'file; if killed, run it again.',
    )
    .requiredOption('--from <target>', 'the target, as `ship add` names it')
    .option('--store <id>', 'the store, as `ship status` shows it (default: the only one of the target)')
    .addOption(backlogOption())
    .common('db', 'json', 'quiet')
    .explains(
      `Examples:
  trawl restore --from ./lake --store 3f1c… --db mine.db
  trawl work --ship --db mine.db      continues crawling and shipping

A copy that \`trawl backup\` made needs no command: ${docsPage('recovery.md')} describes both. Exit codes: 0 restored,
1 failed, 2 the file exists or the target has no such store, 130 interrupted: then nothing is left of it.`,
    )
    .runs(async () => (await import('./run.ts')).runRestore);
