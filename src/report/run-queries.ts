import type { ChartSpec } from '../chart/chart-spec.ts';
import type { Catalogue } from '../queries/catalogue.ts';
import type { MissingData } from '../queries/missing-data.ts';
import { runSavedQuery, type SavedQueryResult } from '../queries/run-query.ts';
import type { SavedQuery } from '../queries/saved-query.ts';
import type { Db } from '../store/sqlite/database.ts';

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

/** Prepares running saved queries that are part of trawl. @param now for ages, in milliseconds UTC */
export function prepareQueries(db: Db, catalogue: Catalogue, now: number) {
  return (name: string, parameters: QueryAnswer['parameters']): AnsweredQuery => {
    const query = catalogue.read(name);
    const { columns, rows, missing, bound } = runSavedQuery(db, query, parameters, now);
    return { query, bound, answer: { name, parameters, columns, rows: rows.map((row) => row.map(toText)), missing } };
  };
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

/** The answers of queries, as a part of the data behind a report. */
export const listAnswers = (answered: Readonly<Record<string, AnsweredQuery>>): QueryAnswer[] =>
  Object.values(answered).map(({ answer }) => answer);

/** The rows of an answer as objects. */
export const toObjects = ({ columns, rows }: QueryAnswer): Readonly<Record<string, string | number | null>>[] =>
  rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i] ?? null])));
