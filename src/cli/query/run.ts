import type { Command } from 'commander';
import { resolveHolder } from '../../analysis/handle-holders.ts';
import { PERIODS } from '../../chart/chart-spec.ts';
import type { ChartOptions } from '../../chart/data/complete-spec.ts';
import { systemClock } from '../../clock.ts';
import { UsageError } from '../../errors.ts';
import { type IdentityKind, isIdentity } from '../../export/pseudonyms/pseudonymiser.ts';
import { bindValues, type NamedTarget } from '../../queries/bind-values.ts';
import { describeMissingData, findMissingData, isCollectable, type MissingData } from '../../queries/missing-data.ts';
import { optionOf, type SavedQuery } from '../../queries/saved-query.ts';
import { hint } from '../shared/command-hints.ts';
import { EXIT } from '../shared/common-options.ts';
import { readStore } from '../shared/existing-store.ts';
import { runStatement } from '../sql/run-statement.ts';
import { describePreviousHolders, describeRenamedHandle } from '../targets/renamed-handles.ts';
import { printNote } from '../terminal/output.ts';
import { findQuery } from './find-query.ts';
import { parseQueryCommand, type TypedValues } from './query-command.ts';

/** `trawl query run`. Returns the exit code: 3 if data that the query needs was not collected. */
export async function runNamedQuery(
  name: string,
  words: readonly string[],
  _: object,
  command: Command,
): Promise<number> {
  const query = findQuery(name);
  const { values, options } = parseQueryCommand(query, words, command);
  const { db, sql } = { db: options.db, sql: query.sql };
  const { bound, targets, missing } = await readStore(db, (store) => {
    const found = bindValues(store, query, values, systemClock.now());
    return { ...found, missing: findMissingData(store, query, found) };
  });
  for (const note of Object.values(targets).flatMap(describeHandle)) printNote(note);
  for (const each of missing) printNote(formatMissingData(each));
  const origin = {
    ...{ name: query.name, title: query.title, values: listValues(query, values) },
    missing: missing.map(describeMissingData),
  };
  const known = options.pseudonymise && { identities: findIdentities(query, bound), hasEmptyColumns: query.isBuiltIn };
  const statement = {
    db,
    sql,
    parameters: bound,
    ...(known && { known }),
    chart: chooseChart(query, bound, origin.values),
  };
  const { rows } = await runStatement({ ...statement, query: origin }, options);
  const isIncomplete = missing.some(isCollectable);
  if (rows === 0)
    printNote(
      isIncomplete ? 'no rows: see what was not collected' : 'no results: nothing in the collected data matches',
    );
  return isIncomplete ? EXIT.partial : EXIT.complete;
}

type Values = Readonly<Record<string, string | number | null>>;

/**
 * The chart of a query, for files that are charts: its title is the question, its subtitle the values of the parameters, and
 * its bins are those of the parameter `period`.
 */
function chooseChart({ title, chart, parameters }: SavedQuery, bound: object, values: Values): ChartOptions {
  const period = PERIODS.find((name) => name === (bound as Values)['period']);
  const named = parameters.flatMap(({ name, type }) => {
    const value = values[name] ?? null;
    if (value === null) return [];
    return name === 'period' ? [`per ${value}`] : type === 'account' ? [String(value)] : [`${name} ${value}`];
  });
  return { title, subtitle: named.length === 0 ? undefined : named.join(', '), ...chart, ...(period && { period }) };
}

/** The parameters that are compared with pseudonyms. @throws UsageError for a text, which has none */
function findIdentities({ parameters }: SavedQuery, bound: object): Record<string, IdentityKind> {
  const given = parameters.filter(({ name }) => (bound as Values)[name] !== null);
  const text = given.find(({ type }) => type === 'text');
  if (text !== undefined) {
    throw new UsageError(`${optionOf(text.name)} cannot be compared with pseudonyms`, {
      hint: 'Run the query without --pseudonymise, or write the rows of another one.',
    });
  }
  return Object.fromEntries(given.flatMap(({ name, type }) => (isIdentity(type) ? [[name, type]] : [])));
}

/** A description of missing data, with the command that collects it on a second line. */
function formatMissingData(missing: MissingData): string {
  const { crawl, state } = missing;
  const result = state === 'collected in part' ? 'collects more' : 'collects it';
  const advice = crawl && `${hint('crawl', `${crawl.kind} ${crawl.target}`)} ${result}`;
  return [describeMissingData(missing), ...(advice ? [advice] : [])].join('\n  ');
}

/** The values of all parameters, as they were typed, or their defaults. */
const listValues = ({ parameters }: SavedQuery, typed: TypedValues): Values =>
  Object.fromEntries(parameters.map(({ name, default: given = null }) => [name, typed[name] ?? given]));

/** A note if the handle of an account was renamed, or if others had it. */
function describeHandle({ handle }: NamedTarget): string[] {
  if (handle === undefined) return [];
  const { current, previous } = handle.holders;
  if (!current) return [describeRenamedHandle(handle.name, resolveHolder(handle.holders)!, undefined)];
  return previous.length === 0 ? [] : [describePreviousHolders(handle.name, previous)];
}
