import type { DocumentPath, FilePosition, FileProblem, PositionFinder } from '#base/yaml-file.ts';
import { kindTable } from '#service/kinds/kinds.ts';
import {
  listRequired,
  parseValue,
  optionOf,
  type ParameterType,
  type QueryNeed,
  type QueryParameter,
  type SavedQuery,
} from './saved-query.ts';

/** How positions in the file are found. */
interface Positions {
  readonly locate: PositionFinder;
  /** @param index of the character in the statement */
  readonly locateInStatement: (index: number) => FilePosition;
}

/** Reports a problem at a part of the description. */
type Report = (path: DocumentPath, message: string, part?: 'key') => void;

/** Options that `trawl query run` has for every query. */
const TAKEN = ['db', 'folder', 'format', 'json', 'output', 'timeout', 'memory', 'help'];

/** Finds the parts of a description that match the schema, but not each other or the statement. */
export function findStatementProblems(query: SavedQuery, { locate, locateInStatement }: Positions): FileProblem[] {
  const problems: FileProblem[] = [];
  const report: Report = (path, message, part) => void problems.push({ ...locate(path, part), message });
  for (const parameter of query.parameters) checkParameter(parameter, report);
  for (const [i, need] of query.needs.entries())
    checkNeed(need, query, (message) => report(['needs', String(i)], message));
  checkExample(query, report);
  if (query.sql === '')
    problems.push({ ...locateInStatement(0), message: 'there is no statement after the description' });
  const uses = listParameterUses(query.sql);
  problems.push(...findUnknownParameters(uses, query, locateInStatement));
  const used = new Set(uses.map(({ name }) => name));
  for (const { name } of query.parameters.filter((each) => !used.has(each.name))) {
    report(['parameters', name], `the statement does not use :${name}`, 'key');
  }
  return problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
}

function checkParameter(parameter: QueryParameter, report: Report): void {
  const { name, type, values, min, max, default: given } = parameter;
  const path = ['parameters', name];
  if (!/^(?!no_)[a-z][a-z0-9_]{0,30}$/.test(name)) {
    report(
      path,
      `"${name}" cannot be a parameter: use lower-case letters, digits and _, at most 31, not no_ at the start`,
      'key',
    );
  }
  if (TAKEN.includes(name)) report(path, `${optionOf(name)} is an option of every query: rename the parameter`, 'key');
  if (type === 'choice' && values === undefined) report(path, 'values is missing: a list of texts', 'key');
  if (type !== 'choice' && values !== undefined) report([...path, 'values'], 'values goes with the type choice', 'key');
  for (const [key, bound] of [
    ['min', min],
    ['max', max],
  ] as const) {
    if (bound !== undefined && type !== 'integer') report([...path, key], `${key} goes with the type integer`, 'key');
  }
  const fault = given == null ? undefined : parseValue(parameter, given, 0).fault;
  if (fault !== undefined) report([...path, 'default'], `default should be ${fault}`);
}

/** The types of parameters that can be the target of a crawl, by the type of the target. */
const TARGET_PARAMETERS: Readonly<Record<string, ParameterType>> = {
  account: 'account',
  tweet: 'tweet',
  query: 'search',
};

function checkNeed(
  { kinds, items, of, lists }: QueryNeed,
  { parameters }: SavedQuery,
  report: (message: string) => void,
) {
  const isOfKind = kinds.length > 0;
  if (isOfKind === (items !== undefined)) return report('a need has either kind: or items:');
  if (lists !== undefined && !isOfKind) report('lists goes with kind:');
  if (items === 'checks' && parameters.some(({ name }) => name === 'older_than'))
    report('--older-than is an option of a query that needs checks: rename the parameter');
  if (of === undefined) return;
  const parameter = parameters.find(({ name }) => name === of);
  if (!parameter) return report(`of: there is no parameter ${of}`);
  const uses = isOfKind
    ? kinds.map((kind) => [kind, TARGET_PARAMETERS[kindTable[kind].targetType]] as const)
    : [[items, items === 'runs' ? 'job' : 'account'] as const];
  for (const [use, wanted] of uses.filter((each) => each[1] !== parameter.type)) {
    report(`of: ${of} is of the type ${parameter.type}, and ${use} needs ${wanted ?? 'no parameter'}`);
  }
}

function checkExample({ parameters, example }: SavedQuery, report: Report): void {
  for (const [name, value] of Object.entries(example)) {
    const parameter = parameters.find((each) => each.name === name);
    const fault = parameter === undefined ? 'the value of a parameter' : parseValue(parameter, value, 0).fault;
    if (fault !== undefined) report(['example', name], `example: ${name} should be ${fault}`);
  }
  for (const name of listRequired(parameters).filter((each) => !Object.hasOwn(example, each))) {
    report(['example'], `example has no value of ${name}, which has no default`);
  }
}

function findUnknownParameters(
  uses: readonly ParameterUse[],
  { parameters }: SavedQuery,
  locate: (index: number) => FilePosition,
): FileProblem[] {
  const seen = new Set(parameters.map(({ name }) => name));
  return uses.flatMap(({ name, index }): FileProblem[] => {
    if (name === undefined)
      return [{ ...locate(index), message: 'a parameter needs a name: write :name instead of ?' }];
    if (seen.has(name)) return [];
    seen.add(name);
    return [{ ...locate(index), message: `:${name} is not among the parameters of the description` }];
  });
}

/** Parts of a statement in which a parameter cannot begin: texts, quoted names and comments. */
const OPAQUE = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?(?:\*\/|$)/;
const PARAMETER = /[:@$](?<name>[A-Za-z0-9_]+)|(?<unnamed>\?\d*)/;
const TOKEN = new RegExp(`${OPAQUE.source}|[A-Za-z0-9_]+|${PARAMETER.source}`, 'g');

/** A parameter in the text of a statement. */
interface ParameterUse {
  /** The name without its sign; undefined for `?`. */
  readonly name: string | undefined;
  /** The position in the text. */
  readonly index: number;
}

/** Lists the parameters of a statement, in order of their appearance, each as often as it is used. Reads no SQL grammar. */
function listParameterUses(sql: string): ParameterUse[] {
  return [...sql.matchAll(TOKEN)].flatMap(({ groups, index }): ParameterUse[] => {
    const { name, unnamed } = groups ?? {};
    return name === undefined && unnamed === undefined ? [] : [{ name, index }];
  });
}
