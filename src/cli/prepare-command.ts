import type { Command } from 'commander';
import { findContext } from './context.ts';
import { helpOutput } from './help.ts';
import { reportUnknownCommands } from './unknown-commands.ts';

/** Lets a command throw its usage errors, write to the streams of its context, and record a typed --db. */
export function prepareCommand(command: Command): void {
  command.exitOverride().configureOutput(helpOutput).showHelpAfterError('  Use --help for the arguments and options.');
  reportUnknownCommands(command);
  // Emitted for a typed option only.
  command.on('option:db', (file: string) => {
    const context = findContext();
    if (context) context.typedDatabase = file;
  });
}
