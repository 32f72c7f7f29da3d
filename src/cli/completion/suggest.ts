import type { Command, Option } from 'commander';
import { getContext, resolvePath } from '#cli/context.ts';
import { openCatalogue } from '#cli/query/find-query.ts';
import { readStore } from '#cli/shared/existing-store.ts';
import { print } from '#cli/terminal/print.ts';
import { ACCOUNT_KINDS } from '#service/kinds/crawl-spec.ts';
import { KIND_NAMES } from '#service/kinds/kinds.ts';
import { listPanelNames } from '#store/panels/panels.ts';

/** A suggested word, with its description. */
type Suggestion = readonly [word: string, description: string];

/** The words before the cursor, parsed as Commander does. */
interface PartialCommandLine {
  /** The innermost command. */
  readonly command: Command;
  readonly operands: number;
  /** The option whose value is at the cursor. */
  readonly option: Option | undefined;
  /** The typed value of --db. */
  readonly db: string | undefined;
}

function parseWords(program: Command, words: readonly string[]): PartialCommandLine {
  let [command, operands] = [program, 0];
  let option: Option | undefined;
  let db: string | undefined;
  for (const word of words) {
    if (word.startsWith('-'))
      option = command.options.find((each) => each.required && [each.short, each.long].includes(word));
    else if (option) {
      if (option.long === '--db') db = word;
      if (!option.variadic) option = undefined;
    } else {
      const child = operands === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (child) command = child;
      else if (word !== 'help') operands += 1;
    }
  }
  return { command, operands, option, db };
}

/** Reads the names of things, by the name of an argument or of the value of an option. A store that cannot be read has none. */
const NAMES: Readonly<Record<string, (db: string) => readonly string[] | Promise<readonly string[]>>> = {
  kind: () => KIND_NAMES,
  kinds: () => ACCOUNT_KINDS,
  panel: (db) => readStore(resolvePath(db), listPanelNames).catch(() => []),
  query: () => openCatalogue().names,
};

async function listSuggestions(line: PartialCommandLine, word: string): Promise<readonly Suggestion[]> {
  const { command, operands, option, db = getContext().env['TRAWL_DB'] || 'trawl.db' } = line;
  const help = command.createHelp();
  if (word.startsWith('-'))
    return help.visibleOptions(command).map(({ long, short, description }) => [long ?? short ?? '', description]);
  if (!option && operands === 0 && command.commands.length > 0)
    return help.visibleCommands(command).map((child) => [child.name(), child.summary() || child.description()]);
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[operands] ?? (last?.variadic ? last : undefined);
  const name = option ? /<(\w+)/.exec(option.flags)?.[1] : argument?.name();
  const choices = option ? option.argChoices : argument?.argChoices;
  const isSearch = name === 'query' && command.parent?.name() !== 'query';
  const names = choices ?? (isSearch ? [] : await NAMES[name ?? '']?.(db)) ?? [];
  return names.map((each) => [each, '']);
}

/** Prints one suggestion for the last word per line, with its description after a tab. */
export async function printSuggestions(words: readonly string[], _: object, command: Command): Promise<void> {
  const word = words.at(-1) ?? '';
  const suggestions = await listSuggestions(parseWords(command.parent!.parent!, words.slice(0, -1)), word);
  for (const [value, description] of suggestions)
    if (value.startsWith(word)) print(`${value}\t${description.replaceAll(/\s+/g, ' ')}`.trimEnd());
}
