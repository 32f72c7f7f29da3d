import { quoteShellWord } from '#base/text.ts';
import { findContext } from '#cli/context.ts';

/** A command line of trawl for a hint, with the database if --db was typed. */
export function formatCommand(name: string, args = ''): string {
  const file = findContext()?.typedDatabase;
  const option = file === undefined ? '' : `--db ${quoteShellWord(file)}`;
  // After `--`, the option would be an argument.
  const [, words = name, last = ''] = /^([^']*?) (-- .*)$/s.exec(name) ?? [];
  return ['trawl', words, option, last, args].filter((part) => part !== '').join(' ');
}

/** `formatCommand` in backticks. */
export const hint = (name: string, args?: string): string => `\`${formatCommand(name, args)}\``;
