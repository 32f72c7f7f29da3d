import { choosePeriod } from '#analysis/history/choose-period.ts';
import type { Catalogue } from '#analysis/queries/catalogue.ts';
import type { ChartSpec } from '#analysis/queries/chart-spec.ts';
import { isUnchecked, type MissingData } from '#analysis/queries/missing-data.ts';
import { runSavedQuery, type SavedQueryResult } from '#analysis/queries/run-saved-query.ts';
import type { SavedQuery } from '#analysis/queries/saved-query.ts';
import type { Db } from '#store/sqlite/database.ts';

/** A saved query that a report ran, with its rows: a part of the data behind the report. */
export interface QueryAnswer {
  readonly name: string;
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | null)[])[];
  readonly missing: readonly MissingData[];
}

/** An answer, with the query that it is of. */
export interface AnsweredQuery {
  readonly query: SavedQuery;
  readonly answer: QueryAnswer;
  /** The values that its statement got: those of all parameters, in the form of the store. */
  readonly bound: SavedQueryResult['bound'];
}

/**
 * Prepares running saved queries that are part of trawl.
 * @param now for ages, in milliseconds UTC
 * @param olderThan the age from which checks of tweets are old, in milliseconds
 */
export function prepareQueries(db: Db, catalogue: Catalogue, now: number, olderThan?: number) {
  return (name: string, parameters: QueryAnswer['parameters']): AnsweredQuery => {
    const query = catalogue.read(name);
    const { columns, rows, missing, bound } = runSavedQuery(db, query, parameters, now, olderThan);
    return { query, bound, answer: { name, parameters, columns, rows: rows.map((row) => row.map(toText)), missing } };
  };
}

/** The period whose rows show how long the time axis of a query is. */
const MEASURING_PERIOD = 'week';

/**
 * Runs saved queries with a time axis, all by the same period. It follows the longest of their axes, which may go beyond the
 * data: a quiet account has periods without tweets. @param days on which something was observed; by default, all
 */
export function runOverTime<Name extends string>(
  run: ReturnType<typeof prepareQueries>,
  names: readonly Name[],
  parameters: QueryAnswer['parameters'],
  days?: number,
): Record<Name, AnsweredQuery> {
  const runAll = (period: string) =>
    Object.fromEntries(names.map((name) => [name, run(name, { ...parameters, period })])) as Record<
      Name,
      AnsweredQuery
    >;
  const measured = runAll(MEASURING_PERIOD);
  const starts = listAnswers(measured)
    .flatMap((answer) => toObjects(answer))
    .map((row) => Date.parse(String(row['period_start'])));
  const length =
    starts.length === 0 ? 0 : starts.reduce((a, b) => Math.max(a, b)) - starts.reduce((a, b) => Math.min(a, b));
  const period = choosePeriod(length, days);
  return period === MEASURING_PERIOD ? measured : runAll(period);
}

/** No column of a report has bytes; a user's own value of a column without a type may be some. */
const toText = (value: string | number | Buffer | null): string | number | null =>
  Buffer.isBuffer(value) ? value.toString('hex') : value;

/** The spec of the chart of an answer, with the period of its parameters. @throws Error if the query has no chart */
export function chooseSpec({ query, answer }: AnsweredQuery): ChartSpec {
  if (!query.chart) throw new Error(`the query ${query.name} has no chart`);
  const { title: _, ...spec } = query.chart;
  const { period } = answer.parameters;
  return spec.period === undefined || period === undefined
    ? spec
    : { ...spec, period: period as NonNullable<ChartSpec['period']> };
}

/** The answers of queries, as a part of the data behind a report. What depends on the time of the report is no part of it. */
export const listAnswers = (answered: Readonly<Record<string, AnsweredQuery>>): QueryAnswer[] =>
  Object.values(answered).map(({ answer }) => ({
    ...answer,
    missing: answer.missing.filter((missing) => !isUnchecked(missing)),
  }));

/** The rows of an answer as objects. */
export const toObjects = ({ columns, rows }: QueryAnswer): Readonly<Record<string, string | number | null>>[] =>
  rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i] ?? null])));
