import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { backfillCommand } from './backfill/command.ts';
import { coverageCommand } from './coverage/command.ts';
import { crawlCommand } from './crawl/command.ts';
import { crawlsCommand } from './crawls/command.ts';
import { demoCommand } from './demo/command.ts';
import { doctorCommand } from './doctor/command.ts';
import { enqueueCommand } from './enqueue/command.ts';
import { helpOutput } from './help.ts';
import { keysCommand } from './keys/command.ts';
import { planCommand } from './plan/command.ts';
import { quotaCommand } from './quota/command.ts';
import { rebuildCommand } from './rebuild/command.ts';
import { rejectsCommand } from './rejects/command.ts';
import { scheduleCommand } from './schedule/command.ts';
import { serveCommand } from './serve/command.ts';
import { setHintDatabase } from './shared/command-hints.ts';
import { endEarlyInterrupts } from './shared/early-interrupt.ts';
import { sqlCommand } from './sql/command.ts';
import { statusCommand } from './status/command.ts';
import { workCommand } from './work/command.ts';
import { worldCommand } from './world/command.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Commands that take over signals themselves, once they are loaded. The others may block, and are ended by Node. */
const INTERRUPTIBLE = new Set(['crawl', 'work', 'backfill', 'demo', 'plan', 'serve', 'rebuild', 'retry', 'create']);

/** All commands with their words; each loads what it does when it is run. */
export function buildProgram(): Command {
  const program = new Command('trawl')
    .description('Crawl a microblog into a database you can query, and know what you are missing.')
    .version(version)
    .addHelpText(
      'after',
      `
Environment (.env in the working directory may set these, and nothing else):
  TRAWL_API_URL   base address of the service
  TRAWL_API_KEY   your key; never printed, logged or stored
  TRAWL_DB        the SQLite file (default trawl.db)
  TRAWL_RESERVE   the quota that is never spent: requests or percent (10%)
  TRAWL_FLOORS    what more urgent crawls are left besides, in percent by class
                  (scheduled=5%,backfill=10%)
  TRAWL_RAW_DAYS  for how many days the pages' bodies are kept (for ever)
  TRAWL_MIN_FREE_DISK
                  below how much free disk crawls pause (500MB, at most 5%)
  TRAWL_METHOD    GET (default) or POST
  REDIS_URL       the queue's Redis; without it trawl brings its own

Start here:
  trawl demo      a small world, served and crawled here: nothing to set up

In a folder where trawl is installed but not on the PATH, write npx trawl.`,
    );
  const commands = [
    demoCommand,
    crawlCommand,
    planCommand,
    backfillCommand,
    enqueueCommand,
    workCommand,
    scheduleCommand,
    crawlsCommand,
    statusCommand,
    coverageCommand,
    quotaCommand,
    sqlCommand,
    rebuildCommand,
    rejectsCommand,
    serveCommand,
    keysCommand,
    worldCommand,
    doctorCommand,
  ];
  for (const command of commands) program.addCommand(command());
  program.hook('preAction', (_, action) => {
    if (!INTERRUPTIBLE.has(action.name())) endEarlyInterrupts();
  });
  forEachCommand(program, (command) => {
    command.exitOverride().configureOutput(helpOutput).showHelpAfterError('  Add --help to see what it takes.');
    // Emitted for what is typed, and not for what the environment says: that holds for the next command, too.
    command.on('option:db', (file: string) => setHintDatabase(program, file));
  });
  return program;
}

function forEachCommand(command: Command, visit: (command: Command) => void): void {
  visit(command);
  for (const child of command.commands) forEachCommand(child, visit);
}
