import { describeNoRows, isCollectable, isUnchecked, type MissingData } from '#analysis/queries/missing-data.ts';
import { prepareRun, type PreparedRun } from '#analysis/queries/prepare-run.ts';
import { parseValue, optionOf, type SavedQuery } from '#analysis/queries/saved-query.ts';
import { StoreError, TrawlError } from '#base/errors.ts';
import { toSentence, quoteShellWord } from '#base/text.ts';
import type { MissingDataLine, QueryCheck } from '#dashboard/server/api/queries.ts';
import { formatStoreCommand } from '#dashboard/server/reader/format-store-command.ts';
import type { ReadContext, ReadRequest, ReadSettings } from '#dashboard/server/reader/read.ts';
import { toShortLine } from '#dashboard/server/reader/short-line.ts';
import { findSavedQuery } from './read-query-form.ts';

/** A statement to run, as JSON. */
export interface QueryStatement {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, string | null>>;
  /** The parameters that are integers. */
  readonly integers: readonly string[];
  readonly chart: PreparedRun['chart'];
  /** Why there are no rows, if there are none. */
  readonly emptiness: string;
}

export interface CheckedStatement {
  readonly check: QueryCheck;
  /** Null if it cannot run. */
  readonly statement: QueryStatement | null;
}

/** Checks the values of a saved query as `trawl query run` does; undefined if there is none of this name. */
export function readStatement(
  { db, settings, now }: ReadContext,
  { parameters, query: given }: ReadRequest,
): CheckedStatement | undefined {
  const query = findSavedQuery(settings.queryFolders, parameters['name']);
  if (!query) return undefined;
  const typed = readTypedValues(query, given);
  const problems = findProblems(query, typed, now);
  const check: QueryCheck = {
    problems,
    refusal: null,
    missing: [],
    notes: [],
    command: formatStoreCommand(settings, formatRun(query, typed)),
  };
  if (Object.keys(problems).length > 0) return { check, statement: null };
  try {
    const { bound, missing, notes, chart } = prepareRun(db, query, typed, { now });
    return {
      check: {
        ...check,
        missing: missing.map((each) => toLine(each, settings)),
        notes: notes.map((note) => `${toSentence(toShortLine(note))}.`),
      },
      statement: {
        sql: query.sql,
        chart,
        emptiness: describeNoRows(missing),
        parameters: Object.fromEntries(
          Object.entries(bound).map(([name, value]) => [name, value === null ? null : String(value)]),
        ),
        integers: Object.keys(bound).filter((name) => typeof bound[name] === 'bigint'),
      },
    };
  } catch (error) {
    if (!(error instanceof TrawlError) || error instanceof StoreError) throw error;
    const { message, hint = null, command } = error;
    const line = command && formatStoreCommand(settings, `${command.name} ${command.args ?? ''}`.trim());
    const refusal = {
      text: toShortLine(message),
      hint: hint && toShortLine(hint),
      command: line ? toShortLine(line) : null,
    };
    return { check: { ...check, refusal }, statement: null };
  }
}

/** The values of parameters. An empty field is none; other parts of the address are none either. */
const readTypedValues = ({ parameters }: SavedQuery, given: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    parameters.flatMap(({ name, type }) => {
      const value = type === 'text' ? given[name] : given[name]?.trim();
      return value === undefined || value === '' ? [] : [[name, value] as const];
    }),
  );

/** Finds all wrong values at once, for a form. */
function findProblems({ parameters }: SavedQuery, typed: Readonly<Record<string, string>>, now: number) {
  const problems: Record<string, string> = {};
  for (const parameter of parameters) {
    const { name } = parameter;
    const value = typed[name];
    if (value === undefined) {
      if (parameter.default === undefined) problems[name] = 'is required';
      continue;
    }
    const { fault } = parseValue(parameter, value, now);
    if (fault !== undefined) problems[name] = `should be ${fault}`;
  }
  return problems;
}

const formatRun = ({ name, parameters }: SavedQuery, typed: Readonly<Record<string, string>>): string =>
  [
    `query run ${name}`,
    ...parameters.flatMap((parameter) => {
      const value = typed[parameter.name];
      return value === undefined ? [] : [`${optionOf(parameter.name)} ${quoteShellWord(value)}`];
    }),
  ].join(' ');

function toLine(missing: MissingData, settings: ReadSettings): MissingDataLine {
  const { state, sentence, command } = missing;
  return {
    state,
    text: toShortLine(sentence.slice(`${state}: `.length)),
    command:
      command !== null && (isCollectable(missing) || isUnchecked(missing))
        ? toShortLine(formatStoreCommand(settings, command))
        : null,
  };
}
