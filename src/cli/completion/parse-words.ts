import type { Command, Option } from 'commander';

/** A command line up to the cursor. */
export interface PartialCommandLine {
  /** The innermost command of the line. */
  readonly command: Command;
  readonly operands: readonly string[];
  /** The position of the first operand among the words; undefined without one. */
  readonly firstOperandAt: number | undefined;
  /** The option whose value is at the cursor. */
  readonly option: Option | undefined;
  /** Whether the word at the cursor may be an option: no `--` precedes it. */
  readonly hasOptions: boolean;
  /** The typed values of options, by their long names without dashes. */
  readonly values: ReadonlyMap<string, string>;
}

/** Parses the words before the cursor as Commander does. Unknown options are parsed as options without a value. */
export function parseWords(program: Command, words: readonly string[]): PartialCommandLine {
  const values = new Map<string, string>();
  const operands: string[] = [];
  let command = program;
  let option: Option | undefined;
  let hasOptions = true;
  let firstOperandAt: number | undefined;
  for (const [i, word] of words.entries()) {
    const isOption = hasOptions && word.startsWith('-') && word !== '-';
    if (option && !isOption) {
      values.set(nameOf(option), word);
      if (!option.variadic) option = undefined;
    } else if (isOption) {
      if (word === '--') hasOptions = false;
      const [flag, value] = splitOption(word);
      const found = findOption(command, flag);
      option = value === undefined && (found?.required || found?.optional) ? found : undefined;
      if (found && value !== undefined) values.set(nameOf(found), value);
    } else {
      const child = operands.length === 0 ? findChild(command, word) : undefined;
      if (child) command = child;
      // The word after `help` is a command.
      else if (word !== 'help' || command.commands.length === 0) {
        operands.push(word);
        firstOperandAt ??= i;
      }
    }
  }
  return { command, operands, firstOperandAt, option, hasOptions, values };
}

/** Splits `--format=csv` into its flag and its value. */
export function splitOption(word: string): [flag: string, value: string | undefined] {
  const end = word.startsWith('--') ? word.indexOf('=') : -1;
  return end === -1 ? [word, undefined] : [word.slice(0, end), word.slice(end + 1)];
}

/** Returns the option of a command with a long or short flag. */
export const findOption = (command: Command, flag: string): Option | undefined =>
  command.options.find(({ long, short }) => flag === long || flag === short);

const nameOf = (option: Option): string => (option.long ?? option.short ?? '').replace(/^-+/, '');

const findChild = (command: Command, word: string): Command | undefined =>
  command.commands.find((child) => child.name() === word || child.aliases().includes(word));

/**
 * Removes the word `=` between an option and its value, since Bash splits words at `=`. Bash also splits at `@` and `:`, which
 * affects no suggestion.
 */
export function joinAssignments(words: readonly string[]): string[] {
  const joined = words.filter((word, i) => word !== '=' || !words[i - 1]?.startsWith('--'));
  return words.at(-1) === '=' && joined.length < words.length && words.at(-2)?.startsWith('--')
    ? [...joined, '']
    : joined;
}
