import type { Command } from 'commander';
import { type OutputConfiguration } from 'commander';
import { findContext, getContext } from './context.ts';
import { wrapProse } from './terminal/wrap.ts';

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

/** Formats help texts and usage errors. */
const helpOutput: OutputConfiguration = {
  writeOut: (text) => void getContext().streams.stdout.write(wrapProse(text)),
  // The help after a usage error.
  writeErr: (text) => void getContext().streams.stderr.write(wrapProse(text)),
  outputError: (text) =>
    void getContext().streams.stderr.write(
      text
        .replace(/^error: /, 'trawl: ')
        .replace("command-argument value '", "'")
        .replace(/\n\(Did you mean/, '\n  (Did you mean'),
    ),
};

/** Groups with more commands than these are not listed in an error. */
const MOST_LISTED = 10;

/** The internals of commander that have no types. */
type Internals = Command & { readonly _defaultCommandName?: string | null; unknownCommand(): never };

/**
 * Reports a word that names no subcommand, with the nearest name or all names. Commander itself prints the help of the command
 * before it looks at the word, and gives the word to the default subcommand as an argument.
 */
function reportUnknownCommands(command: Command): void {
  command.on('beforeHelp', () => {
    const [first, second] = command.args;
    const word = first === 'help' ? second : first;
    if (word !== undefined && !isAccepted(command as Internals, word)) reportWord(command, word);
  });
  const fail = command.error.bind(command);
  command.error = (message, options) => {
    const { parent } = command;
    const [word] = command.args;
    const hasTooMany =
      options?.code === 'commander.excessArguments' ||
      (options?.code === 'commander.unknownOption' && command.registeredArguments.length === 0);
    if (hasTooMany && parent && word !== undefined && !word.startsWith('-') && isDefault(command))
      return reportWord(parent, word);
    return fail(options?.code === 'commander.unknownCommand' ? listCommands(command, message) : message, options);
  };
}

const isAccepted = (command: Internals, word: string): boolean =>
  word.startsWith('-') ||
  command.commands.length === 0 ||
  command.registeredArguments.length > 0 ||
  command.commands.some((one) => one.name() === word || one.aliases().includes(word)) ||
  command.commands.some((one) => one.name() === command._defaultCommandName && one.registeredArguments.length > 0);

/** Whether a command runs because none was named. */
const isDefault = (command: Command): boolean =>
  (command.parent as Internals)._defaultCommandName === command.name() && command.parent!.args[0] !== command.name();

function reportWord(command: Command, word: string): never {
  command.args = [word];
  return (command as Internals).unknownCommand();
}

/** Adds the names of all subcommands to an error without a similar name. */
function listCommands({ commands }: Command, message: string): string {
  if (message.includes('Did you mean') || commands.length > MOST_LISTED) return message;
  return `${message}\n  Commands: ${commands.map((one) => one.name()).join(', ')}`;
}
