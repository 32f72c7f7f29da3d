import type { Command } from 'commander';
import { listHandles } from '../../analysis/list-handles.ts';
import { ACCOUNT_KINDS } from '../../kinds/crawl-spec.ts';
import { listPanelNames } from '../../store/panels/panels.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { getContext, resolvePath } from '../context.ts';
import { readStore } from '../shared/existing-store.ts';
import { print } from '../terminal/print.ts';
import type { Shell } from './command.ts';
import { joinAssignments } from './parse-words.ts';
import { COMPLETION_SCRIPTS } from './scripts.ts';
import { type NameReader, suggestWords } from './suggest.ts';

const MAX_HANDLES = 50;

export const printCompletionScript = (shell: Shell): void => print(COMPLETION_SCRIPTS[shell]);

/**
 * Prints one suggestion per line, with its description after a tab. The last line is `:files` or `:folders` if the shell is to
 * complete paths. The database is opened read-only; if it cannot be read, no names are suggested.
 */
export async function printSuggestions(
  shell: Shell,
  typed: readonly string[],
  _: object,
  command: Command,
): Promise<void> {
  const words = shell === 'bash' ? joinAssignments(typed) : typed;
  const { words: found, paths } = await suggestWords(rootOf(command), words, NAMES);
  // Bash replaces only the text after the @.
  const isAtSign = shell === 'bash' && words.at(-1) === '@';
  const lines = found.map(({ value, description }) =>
    [isAtSign ? value.slice(1) : value, description.replaceAll(/\s+/g, ' ')].filter(Boolean).join('\t'),
  );
  if (paths) lines.push(`:${paths}`);
  if (lines.length > 0) print(lines.join('\n'));
}

const NAMES: NameReader = {
  handles: (prefix, db) =>
    readNames(db, (store) => listHandles(store, { prefix, kinds: ACCOUNT_KINDS, limit: MAX_HANDLES })),
  panels: (db) => readNames(db, listPanelNames),
  async queries() {
    const { openCatalogue } = await import('../query/find-query.ts');
    return openCatalogue().names;
  },
  async queryCommand(name) {
    const { findQuery } = await import('../query/find-query.ts');
    const { createQueryCommand } = await import('../query/query-command.ts');
    try {
      return createQueryCommand(findQuery(name));
    } catch {
      // The query is unknown or wrong.
      return undefined;
    }
  },
};

async function readNames(typedDb: string | undefined, list: (store: Db) => string[]): Promise<readonly string[]> {
  const db = typedDb === undefined ? resolvePath(getContext().env['TRAWL_DB'] || 'trawl.db') : resolvePath(typedDb);
  return await readStore(db, list).catch(() => []);
}

const rootOf = (command: Command): Command => (command.parent ? rootOf(command.parent) : command);
