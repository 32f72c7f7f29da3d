import type { Command } from 'commander';

/** Hints name commands. Where a database was named with --db, these mean it only if they name it, too. */

let named: ((text: string) => string) | undefined;

/** From here on, the commands in hints are about this database. */
export function setHintDatabase(program: Command, file: string): void {
  const paths = program.commands.filter(isOfStore).flatMap((command) => {
    const children = command.commands.map((child) => `${command.name()} ${child.name()}`);
    return [...children, command.name()];
  });
  const hasIt = 'trawl [a-z]+(?: [a-z]+)? --db ';
  const command = new RegExp(`(?<=^|\`)(?!${hasIt})trawl (?:${paths.join('|')})(?=[ \`]|$)`, 'gm');
  named = (text) => text.replaceAll(command, (words) => `${words} --db ${quoteShellWord(file)}`);
}

/** A text whose commands work on the database that was named. */
export const addDatabaseOption = (text: string): string => named?.(text) ?? text;

/** Takes a database, and no other than what is crawled into: the twin's is another. */
const isOfStore = (command: Command): boolean => command.name() !== 'serve' && takesDatabase(command);

const takesDatabase = ({ options, commands }: Command): boolean =>
  options.some(({ long }) => long === '--db') || commands.some(takesDatabase);

/** A word as a shell takes it for one. */
export const quoteShellWord = (text: string): string =>
  /^[\w@:./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
