import type { Argument, Command, Option } from 'commander';
import { ACCOUNT_KINDS } from '../../kinds/crawl-spec.ts';
import { isKind, KIND_NAMES, kindTable } from '../../kinds/kinds.ts';
import { findOption, parseWords, type PartialCommandLine, splitOption } from './parse-words.ts';

export interface Suggestion {
  /** The whole word. */
  readonly value: string;
  readonly description: string;
}

export interface Suggestions {
  readonly words: readonly Suggestion[];
  /** The kind of path as which the shell completes the word, if any. */
  readonly paths?: 'files' | 'folders' | undefined;
}

/** Reads names from the store. `db` is the value of --db, if it was typed. */
export interface NameReader {
  /** Handles that begin with `prefix`. */
  handles(prefix: string, db: string | undefined): Promise<readonly string[]>;
  /** The names of all panels. */
  panels(db: string | undefined): Promise<readonly string[]>;
  /** The names of all saved queries. */
  queries(): Promise<readonly string[]>;
  /** The command of a saved query, whose parameters are options; undefined if there is no such query. */
  queryCommand(name: string): Promise<Command | undefined>;
}

const NOTHING: Suggestions = { words: [] };

/** Returns the suggestions for the last word. @param typed the words after the name of the program */
export async function suggestWords(program: Command, typed: readonly string[], read: NameReader): Promise<Suggestions> {
  const line = parseWords(program, typed.slice(0, -1));
  const { command, operands, firstOperandAt, values } = line;
  if (firstOperandAt === undefined || command.name() !== 'run' || command.parent?.name() !== 'query') {
    return await suggestWord(line, typed.at(-1) ?? '', read);
  }
  const query = await read.queryCommand(operands[0]!);
  if (!query) return NOTHING;
  const rest = parseWords(query, typed.slice(firstOperandAt + 1, -1));
  return await suggestWord({ ...rest, values: new Map([...values, ...rest.values]) }, typed.at(-1)!, read);
}

async function suggestWord(line: PartialCommandLine, word: string, read: NameReader): Promise<Suggestions> {
  const [flag, value] = splitOption(word);
  if (line.hasOptions && value !== undefined) {
    const option = findOption(line.command, flag);
    return option ? withPrefix(`${flag}=`, await suggestValues(option, value, line, read)) : NOTHING;
  }
  if (line.hasOptions && word.startsWith('-')) return { words: suggestOptions(line, word) };
  if (line.option?.required) return await suggestValues(line.option, word, line, read);
  if (line.operands.length === 0 && line.command.commands.length > 0) {
    const commands = line.command.createHelp().visibleCommands(line.command);
    return select(
      commands.map((child) => [child.name(), child.summary() || child.description()]),
      word,
    );
  }
  return await suggestOperands(line, word, read);
}

function suggestOptions({ command, values }: PartialCommandLine, word: string): readonly Suggestion[] {
  const options = command.createHelp().visibleOptions(command);
  const names = options.flatMap(({ long, short, description, variadic }): [string, string][] => {
    const name = long ?? short;
    return name === undefined || (values.has(name.slice(2)) && !variadic) ? [] : [[name, description]];
  });
  return select(names, word).words;
}

async function suggestValues(
  option: Option,
  word: string,
  { values }: PartialCommandLine,
  read: NameReader,
): Promise<Suggestions> {
  if (option.argChoices) return selectNames(option.argChoices, word);
  const kind = /[<[](file|folder|account|panel)[\]>]/.exec(option.flags)?.[1];
  if (kind === 'account') return await suggestHandles(word, [], values, read);
  if (kind === 'panel' || option.long === '--panel') return selectNames(await read.panels(values.get('db')), word);
  if (kind !== undefined) return { words: [], paths: kind === 'file' ? 'files' : 'folders' };
  if (option.long !== '--then') return NOTHING;
  const chosen = word.split(',').slice(0, -1);
  const prefix = chosen.map((name) => `${name},`).join('');
  const others = ACCOUNT_KINDS.filter((name) => !chosen.includes(name));
  return withPrefix(prefix, selectNames(others, word.slice(prefix.length)));
}

async function suggestOperands(
  { command, operands, values }: PartialCommandLine,
  word: string,
  read: NameReader,
): Promise<Suggestions> {
  const argument = findArgument(command, operands.length);
  switch (argument?.name() ?? '') {
    case 'kind':
      return select(
        KIND_NAMES.map((name) => [name, kindTable[name].summary]),
        word,
      );
    case 'target':
    case 'account': {
      const [kind = ''] = command.registeredArguments[0]?.name() === 'kind' ? operands : ['profile'];
      if (!isKind(kind) || kindTable[kind].targetType !== 'account') return NOTHING;
      return await suggestHandles(word, operands, values, read);
    }
    case 'query':
      // A search has no names.
      return command.parent?.name() === 'query' ? selectNames(await read.queries(), word) : NOTHING;
    case 'panel':
      return selectNames(await read.panels(values.get('db')), word);
    case 'file':
      return { words: [], paths: 'files' };
    case 'folder':
      return { words: [], paths: 'folders' };
    default:
      return selectNames(argument?.argChoices ?? [], word);
  }
}

/** Suggests handles that are not among the typed ones. */
async function suggestHandles(
  word: string,
  typed: readonly string[],
  values: ReadonlyMap<string, string>,
  read: NameReader,
): Promise<Suggestions> {
  const at = word.startsWith('@') ? '@' : '';
  const handles = await read.handles(word.slice(at.length), values.get('db'));
  const left = handles.filter((handle) => !typed.includes(handle) && !typed.includes(`@${handle}`));
  return { words: left.map((handle) => ({ value: at + handle, description: '' })) };
}

function findArgument({ registeredArguments }: Command, index: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[index] ?? (last?.variadic ? last : undefined);
}

const selectNames = (names: readonly string[], word: string): Suggestions =>
  select(
    names.map((name) => [name, '']),
    word,
  );

const select = (names: readonly (readonly [string, string])[], word: string): { words: readonly Suggestion[] } => ({
  words: names.filter(([name]) => name.startsWith(word)).map(([value, description]) => ({ value, description })),
});

const withPrefix = (prefix: string, { words, paths }: Suggestions): Suggestions => ({
  words: words.map(({ value, description }) => ({ value: prefix + value, description })),
  paths,
});
