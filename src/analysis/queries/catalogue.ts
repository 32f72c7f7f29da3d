import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { describeError, UsageError } from '#base/errors.ts';
import { PACKAGE_ROOT } from '#base/package-root.ts';
import { suggestNames } from '#base/text.ts';
import { formatProblem } from '#base/yaml-file.ts';
import { parseQueryFile } from './query-file.ts';
import type { SavedQuery } from './saved-query.ts';

/** The folder of the queries that are part of trawl. */
const BUILT_IN_QUERIES = join(PACKAGE_ROOT, 'queries');

/** The saved queries of some folders. A file is read when its query is. */
export interface Catalogue {
  /** The names of all queries, in order. */
  readonly names: readonly string[];
  /** @throws UsageError for an unknown name, or with all problems of the file */
  read(name: string): SavedQuery;
  /** Reads all queries: the valid ones by name, and the problems of the others as `file:line:column: message`. */
  readAll(): { readonly queries: readonly SavedQuery[]; readonly problems: readonly string[] };
}

/**
 * Lists the queries that are part of trawl, and those of other folders. A query replaces one of the same name in an earlier
 * folder. @throws UsageError for a folder that cannot be read
 */
export function readCatalogue(folders: readonly string[] = []): Catalogue {
  const files = new Map<string, string>();
  for (const folder of [BUILT_IN_QUERIES, ...folders]) {
    for (const file of listQueryFiles(folder)) files.set(basename(file, '.sql'), file);
  }
  const names = [...files.keys()].toSorted();
  return {
    names,
    read(name) {
      const file = files.get(name);
      if (file === undefined) throw unknownQueryError(name, names);
      return readQueryFile(name, file);
    },
    readAll() {
      const parsed = Array.from(files, ([name, file]) => parseFile(name, file));
      return {
        queries: parsed.flatMap(({ query }) => query ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
        problems: parsed.flatMap(({ problems }) => problems),
      };
    },
  };
}

/** Reads the query of a file. @throws UsageError with all problems of the file */
export function readQueryFile(name: string, file: string): SavedQuery {
  const { query, problems } = parseFile(name, file);
  if (query) return query;
  throw new UsageError(`the query ${name} is wrong`, { hint: problems.join('\n  ') });
}

function parseFile(name: string, file: string) {
  const isBuiltIn = dirname(resolve(file)) === BUILT_IN_QUERIES;
  const { query, problems } = parseQueryFile(readText(file), { name, file, isBuiltIn });
  return { query, problems: problems.map((problem) => formatProblem(file, problem, problem.message)) };
}

/** The query files of a folder, not of the folders in it. */
function listQueryFiles(folder: string): string[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new UsageError(`there is no folder of queries ${folder}`);
  }
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith('.sql') && !file.startsWith('.'))
      .map((file) => join(folder, file));
  } catch (cause) {
    throw new UsageError(`cannot read the folder of queries ${folder}: ${describeError(cause)}`, { cause });
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`cannot read the query ${file}: ${describeError(cause)}`, { cause });
  }
}

function unknownQueryError(name: string, known: readonly string[]): UsageError {
  const near = suggestNames(name, known).join(', ');
  return new UsageError(`there is no query ${name}`, {
    hint: near === '' ? undefined : `Did you mean ${near}?`,
    command: { name: 'query list', result: 'lists all queries' },
  });
}
