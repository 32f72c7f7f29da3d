import { isMap } from 'yaml';
import { locateProblems } from '../../base/schema-check.ts';
import { NAME_PATTERN } from '../../base/text.ts';
import { type FilePosition, type FileProblem, parseYaml, type PositionFinder } from '../../base/yaml-file.ts';
import { findDescriptionProblems, type QueryDocument } from './query-schema.ts';
import type { SavedQuery } from './saved-query.ts';
import { findStatementProblems } from './statement-checks.ts';

/** A parsed query file: its query, or its problems. */
export type QueryFile =
  | { readonly query: SavedQuery; readonly problems: readonly [] }
  | { readonly query: undefined; readonly problems: readonly FileProblem[] };

/** Where a query comes from. */
type QueryOrigin = Pick<SavedQuery, 'name' | 'file' | 'isBuiltIn'>;

/** Parses the text of a query file: a comment of YAML, and a statement. Pure: SQLite checks the statement when it runs. */
export function parseQueryFile(text: string, origin: QueryOrigin): QueryFile {
  const reject = (...problems: readonly FileProblem[]): QueryFile => ({ query: undefined, problems });
  if (!new RegExp(NAME_PATTERN).test(origin.name)) {
    const message = `"${origin.name}" cannot be the name of a query: rename the file to letters, digits, - and _, at most 64`;
    return reject({ line: 1, column: 1, message });
  }
  const [all, before, comment] = /^(\uFEFF?\s*\/\*)([^]*?)\*\//.exec(text) ?? [];
  if (all === undefined || before === undefined || comment === undefined) {
    return reject({ line: 1, column: 1, message: 'a query file begins with its description: /* title: … */' });
  }
  const { document, content, problem, locate } = parseYaml(comment);
  const start = positionAt(text, before.length);
  const shift = <T extends FilePosition>(at: T): T => ({
    ...at,
    line: at.line + start.line - 1,
    column: at.line === 1 ? at.column + start.column - 1 : at.column,
  });
  if (problem) return reject(shift(problem));
  if (!isMap(document.contents)) {
    return reject({ ...start, message: 'the description is a map, with keys such as title: and parameters:' });
  }
  const find: PositionFinder = (path, part) => shift(locate(path, part));
  const faults = locateProblems(findDescriptionProblems(content), find);
  if (faults.length > 0) return reject(...faults);
  const query = createQuery(content as QueryDocument, text.slice(all.length).trim(), origin);
  const offset = text.indexOf(query.sql, all.length);
  const misuses = findStatementProblems(query, {
    locate: find,
    locateInStatement: (index) => positionAt(text, offset + index),
  });
  return misuses.length > 0 ? reject(...misuses) : { query, problems: [] };
}

function createQuery(document: QueryDocument, statement: string, origin: QueryOrigin): SavedQuery {
  const { title, topic, description, parameters = {}, needs = [], chart, example = {} } = document;
  return {
    ...origin,
    title,
    topic,
    description: description.trim(),
    chart,
    example,
    needs: needs.map(({ kind = [], ...need }) => ({
      ...need,
      kinds: [kind].flat(),
    })),
    parameters: Object.entries(parameters).map(([name, parameter]) => ({
      name,
      ...parameter,
    })),
    sql: statement.replace(/\s*;\s*$/, ''),
  };
}

function positionAt(text: string, index: number): FilePosition {
  const before = text.slice(0, index).split('\n');
  return { line: before.length, column: before.at(-1)!.length + 1 };
}
