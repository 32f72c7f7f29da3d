import type { Command } from 'commander';
import { findContext } from '../context.ts';

/** Commands in hints. If --db was typed, they need it as well. */

/** Creates a function that adds `--db <file>` to the commands in a text. */
export function createDatabaseHints(program: Command, file: string): (text: string) => string {
  const paths = program.commands.filter(isOfStore).flatMap((command) => {
    const children = command.commands.map((child) => `${command.name()} ${child.name()}`);
    return [...children, command.name()];
  });
  const hasIt = 'trawl [a-z]+(?: [a-z]+)? --db ';
  const command = new RegExp(`(?<=^|\`)(?!${hasIt})trawl (?:${paths.join('|')})(?=[ \`]|$)`, 'gm');
  return (text) => text.replaceAll(command, (words) => `${words} --db ${quoteShellWord(file)}`);
}

/** Adds the typed --db to the commands in a text. */
export const addDatabaseOption = (text: string): string => findContext()?.addDatabaseOption?.(text) ?? text;

/** Whether a command takes the crawled database. The twin serves another one. */
const isOfStore = (command: Command): boolean => command.name() !== 'serve' && takesDatabase(command);

const takesDatabase = ({ options, commands }: Command): boolean =>
  options.some(({ long }) => long === '--db') || commands.some(takesDatabase);

/** Quotes a word for a shell if necessary. */
export const quoteShellWord = (text: string): string =>
  /^[\w@:./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
