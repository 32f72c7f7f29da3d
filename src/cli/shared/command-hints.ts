import type { Command } from 'commander';

/** Commands in hints. If --db was typed, they need it as well. */

let named: ((text: string) => string) | undefined;

/** Sets the database that `addDatabaseOption` adds to commands. */
export function setHintDatabase(program: Command, file: string): void {
  const paths = program.commands.filter(isOfStore).flatMap((command) => {
    const children = command.commands.map((child) => `${command.name()} ${child.name()}`);
    return [...children, command.name()];
  });
  const hasIt = 'trawl [a-z]+(?: [a-z]+)? --db ';
  const command = new RegExp(`(?<=^|\`)(?!${hasIt})trawl (?:${paths.join('|')})(?=[ \`]|$)`, 'gm');
  named = (text) => text.replaceAll(command, (words) => `${words} --db ${quoteShellWord(file)}`);
}

/** Adds the typed --db to the commands in a text. */
export const addDatabaseOption = (text: string): string => named?.(text) ?? text;

/** Whether a command takes the crawled database. The twin serves another one. */
const isOfStore = (command: Command): boolean => command.name() !== 'serve' && takesDatabase(command);

const takesDatabase = ({ options, commands }: Command): boolean =>
  options.some(({ long }) => long === '--db') || commands.some(takesDatabase);

/** Quotes a word for a shell if necessary. */
export const quoteShellWord = (text: string): string =>
  /^[\w@:./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
