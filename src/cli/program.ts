import { Command, CommanderError } from 'commander';
import { describeError } from '#base/errors.ts';
import { VERSION } from '#base/package-root.ts';
import { toExpectedError } from '#library/run/expected-error.ts';
import { backfillCommand } from './backfill/command.ts';
import { backupCommand } from './backup/command.ts';
import { completionCommand } from './completion/command.ts';
import { runInContext, type RunOptions } from './context.ts';
import { coverageCommand } from './coverage/command.ts';
import { crawlCommand } from './crawl/command.ts';
import { crawlsCommand } from './crawls/command.ts';
import { dashboardCommand } from './dashboard/command.ts';
import { demoCommand } from './demo/command.ts';
import { doctorCommand } from './doctor/command.ts';
import { enqueueCommand } from './enqueue/command.ts';
import { exportCommand } from './export/command.ts';
import { findCommand } from './find/command.ts';
import { forgetCommand } from './forget/command.ts';
import { lakeCommand } from './lake/command.ts';
import { panelCommand } from './panel/command.ts';
import { planCommand } from './plan/command.ts';
import { prepareCommand } from './prepare-command.ts';
import { pruneCommand } from './prune/command.ts';
import { queryCommand } from './query/command.ts';
import { quotaCommand } from './quota/command.ts';
import { rebuildCommand } from './rebuild/command.ts';
import { recheckCommand } from './recheck/command.ts';
import { rejectsCommand } from './rejects/command.ts';
import { reportCommand } from './report/command.ts';
import { scheduleCommand } from './schedule/command.ts';
import { hint } from './shared/command-hints.ts';
import { decideErrorCode, EXIT } from './shared/common-options.ts';
import { describeBug } from './shared/error-messages.ts';
import { getInterruptCode } from './shared/signals.ts';
import { sqlCommand } from './sql/command.ts';
import { statusCommand } from './status/command.ts';
import { printMessage } from './terminal/output.ts';
import { twinCommand } from './twin/command.ts';
import { workCommand } from './work/command.ts';

const EXPLANATION = `
Environment variables (.env in the working directory may set only these):
  TRAWL_API_URL   base address of the service
  TRAWL_API_KEY   your key; never printed, logged or stored
  TRAWL_KEY_LABEL a name for the key, which crawls record (a part of its hash)
  TRAWL_DB        the SQLite file (default trawl.db)
  TRAWL_RESERVE   part of the quota that is never used: requests or percent
                  (10%)
  TRAWL_HEADROOM  quota above the reserve that crawls of a priority leave for
                  more urgent ones, in percent of the limit
                  (scheduled=5%,backfill=10%)
  TRAWL_RAW_DAYS  days for which workers keep the bodies of pages (forever)
  TRAWL_MIN_FREE_DISK
                  free disk space below which crawls pause (500MB, at most 5%)
  TRAWL_METHOD    GET (default) or POST
  TRAWL_NOTIFY_URL
                  the webhook to which workers send alerts
  TRAWL_SHIP      the targets that workers ship to: all, or addresses with
                  spaces between them (none)
  TRAWL_QUERIES   folders of your saved queries, separated by : (queries)
  TRAWL_DASHBOARD_TOKEN
                  the token of the dashboard (a random one at each start)
  REDIS_URL       the queue's Redis: redis://, rediss:// (TLS), unix://,
                  redis+sentinel:// or redis+cluster://; without it, trawl
                  starts redis-server if installed, or a built-in queue (only
                  for the demo, tests and one small crawl)

Exit codes: 0 complete or capped (all that the service shows is stored, but more may exist), 3 partial, 1 failed, 2
usage error, 78 the service refuses the key, 130 interrupted.

Start here:
  trawl demo      try trawl on a synthetic microblog; needs no key and no Redis`;

/** Builds all commands. Each loads its implementation when it runs. */
export function buildProgram(): Command {
  const program = new Command('trawl')
    .description('Crawl a microblog into a database you can query, and know what you are missing.')
    // Where a subcommand has options of the same names as its command, each reads its own.
    .enablePositionalOptions()
    .version(VERSION)
    .addHelpText('after', EXPLANATION);
  const groups: Readonly<Record<string, readonly (() => Command)[]>> = {
    Collect: [
      crawlCommand,
      enqueueCommand,
      planCommand,
      backfillCommand,
      recheckCommand,
      scheduleCommand,
      panelCommand,
      workCommand,
    ],
    Monitor: [statusCommand, crawlsCommand, coverageCommand, quotaCommand, rejectsCommand, dashboardCommand],
    Analyse: [queryCommand, sqlCommand, findCommand, exportCommand, reportCommand],
    Store: [backupCommand, rebuildCommand, pruneCommand, forgetCommand, lakeCommand],
    'Twin and set-up': [demoCommand, twinCommand, doctorCommand, completionCommand],
  };
  for (const [group, commands] of Object.entries(groups)) {
    program.commandsGroup(`${group}:`);
    for (const command of commands) program.addCommand(command());
  }
  program.helpCommand('help [command]', 'display help for a command');
  forEachCommand(program, prepareCommand);
  return program;
}

/** Calls `fn` with a command and all its subcommands. */
export function forEachCommand(command: Command, fn: (command: Command) => void): void {
  fn(command);
  for (const child of command.commands) forEachCommand(child, fn);
}

/**
 * Runs a command line, without the name of the program, in this process. Several may run at the same time. Prints an expected
 * error as a message, and any other as a bug with its stack. Returns the exit code.
 */
export async function run(argv: readonly string[], options: RunOptions): Promise<number> {
  const context = { ...options, argv, exitCode: EXIT.complete };
  return await runInContext(context, async () => {
    try {
      await buildProgram().parseAsync(argv, { from: 'user' });
      return context.exitCode;
    } catch (thrown) {
      return report(thrown, options.signal);
    }
  });
}

function report(thrown: unknown, signal: AbortSignal): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.complete : EXIT.usage;
  if (signal.aborted && thrown === signal.reason) return getInterruptCode(signal);
  const refusal = toExpectedError(thrown);
  printMessage(`trawl: ${refusal ? describeError(refusal, hint) : describeBug(thrown)}`);
  return decideErrorCode(refusal);
}
