import Type, { type Static } from 'typebox';
import { isMap } from 'yaml';
import { locateProblems, createSchemaCheck } from '#base/schema-check.ts';
import { NAME_PATTERN } from '#base/text.ts';
import {
  type FilePosition,
  type FileProblem,
  parseYaml,
  type PositionFinder,
  type DocumentPath,
} from '#base/yaml-file.ts';
import { KIND_NAMES } from '#service/kinds/kinds.ts';
import { MARKS, PERIODS } from './chart-spec.ts';
import { type SavedQuery, NEEDED_ITEMS, PARAMETER_TYPES } from './saved-query.ts';
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

/** The schema of the description of a saved query: the YAML in the comment at the start of its file. */

const closed = { additionalProperties: false } as const;

const line = Type.String({ minLength: 1, maxLength: 120, pattern: '^[^\\n]*$' });
const text = Type.String({ minLength: 1 });
/** YAML reads more digits than a number holds. */
const integer = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });
const value = Type.Union([Type.String(), integer]);

const parameter = Type.Object(
  {
    type: Type.Enum([...PARAMETER_TYPES]),
    description: text,
    default: Type.Optional(Type.Union([Type.String(), integer, Type.Null()])),
    min: Type.Optional(integer),
    max: Type.Optional(integer),
    values: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1, uniqueItems: true })),
  },
  closed,
);

const need = Type.Object(
  {
    kind: Type.Optional(
      Type.Union([Type.Enum(KIND_NAMES), Type.Array(Type.Enum(KIND_NAMES), { minItems: 1, uniqueItems: true })]),
    ),
    items: Type.Optional(Type.Enum([...NEEDED_ITEMS])),
    of: Type.Optional(Type.String()),
    lists: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  },
  closed,
);

const chart = Type.Object(
  {
    mark: Type.Enum([...MARKS]),
    x: text,
    y: text,
    series: Type.Optional(text),
    value: Type.Optional(text),
    period: Type.Optional(Type.Enum([...PERIODS])),
    partial: Type.Optional(text),
    title: Type.Optional(text),
    xLabel: Type.Optional(text),
    yLabel: Type.Optional(text),
  },
  closed,
);

const querySchema = Type.Object(
  {
    title: line,
    topic: line,
    description: text,
    parameters: Type.Optional(Type.Record(Type.String(), parameter)),
    needs: Type.Optional(Type.Array(need)),
    chart: Type.Optional(chart),
    example: Type.Optional(Type.Record(Type.String(), value)),
  },
  closed,
);

/** The content of a valid description. */
type QueryDocument = Static<typeof querySchema>;

/** The valid values of each key, for messages. */
const EXPECTED_VALUES: Readonly<Record<string, string>> = {
  title: 'a question of one line, at most 120 characters',
  topic: 'a heading of one line, such as People',
  description: 'a text',
  xLabel: 'a text',
  yLabel: 'a text',
  parameters: 'a map of parameters by name: lower-case letters, digits and _',
  needs: 'a list of maps, each with kind: or items:',
  chart: 'a map with mark, x and y',
  example: 'a map of texts and whole numbers by parameter (write ids in quotes)',
  type: `one of ${PARAMETER_TYPES.join(', ')}`,
  default: 'a text, a whole number or null',
  min: 'a whole number',
  max: 'a whole number',
  values: 'a list of texts',
  kind: `one of ${KIND_NAMES.join(', ')}, or a list of them`,
  items: `one of ${NEEDED_ITEMS.join(', ')}`,
  of: 'the name of a parameter',
  lists: 'a whole number from 0 to 100',
  mark: `one of ${MARKS.join(', ')}`,
  period: `one of ${PERIODS.join(', ')}`,
  ...Object.fromEntries(
    ['x', 'y', 'series', 'value', 'partial'].map((key) => [key, 'the name of a column of the result']),
  ),
};

/** Finds the parts of a description that do not match the schema. */
const findDescriptionProblems = createSchemaCheck(querySchema, { expected: EXPECTED_VALUES, nameOf });

/** The key that a path ends with. In maps of names of your own, it is the key of the map. */
function nameOf(path: DocumentPath): string {
  const [first, second] = path;
  if (first === 'example' || (first === 'parameters' && path.length === 2)) return first;
  if (first === 'needs' && path.length === 2 && second !== undefined) return first;
  return path.findLast((part) => !/^\d+$/.test(part)) ?? '';
}
