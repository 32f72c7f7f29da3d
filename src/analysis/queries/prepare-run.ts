import { describeHolders } from '#analysis/handle-holders.ts';
import type { Db } from '#store/sqlite/database.ts';
import { type BoundValues, bindValues, type NamedTarget } from './bind-values.ts';
import { PERIODS } from './chart-spec.ts';
import type { ChartOptions } from './chart-spec.ts';
import { findMissingData, type MissingData, type RunTime } from './missing-data.ts';
import type { SavedQuery } from './saved-query.ts';

type Values = Readonly<Record<string, string | number | null>>;

/** All that is known of a run of a saved query before its statement runs. */
export interface PreparedRun {
  /** The values to bind, by name. */
  readonly bound: BoundValues['bound'];
  readonly missing: readonly MissingData[];
  /** Renamed and reused handles among the values, each in a line. */
  readonly notes: readonly string[];
  /** For the sidecar of a file. */
  readonly origin: {
    readonly name: string;
    readonly title: string;
    /** As they were typed, or their defaults. */
    readonly values: Values;
    /** What the store lacks, in words. */
    readonly missing: readonly string[];
  };
  /** What a chart of the result shows. */
  readonly chart: ChartOptions;
}

/**
 * Reads the values of a run as they were typed, and finds what the store lacks for it. @param time for ages, and for the age of checks
 * @throws UsageError for a wrong or missing value, TrawlError for a target that was not collected
 */
export function prepareRun(
  db: Db,
  query: SavedQuery,
  typed: Readonly<Record<string, string>>,
  { now, olderThan }: RunTime,
): PreparedRun {
  const { bound, targets } = bindValues(db, query, typed, now);
  const missing = findMissingData(db, query, { targets, now, olderThan });
  const values = Object.fromEntries(
    query.parameters.map(({ name, default: given = null }) => [name, typed[name] ?? given]),
  );
  return {
    bound,
    missing,
    notes: Object.values(targets).flatMap(describeHandle),
    origin: {
      name: query.name,
      title: query.title,
      values,
      missing: missing.map(({ sentence }) => sentence),
    },
    chart: chooseChart(query, bound, values),
  };
}

/**
 * The chart of a query: its title is the question, its subtitle the values of the parameters, and its bins are those of the
 * parameter `period`.
 */
function chooseChart(
  { title, chart, parameters }: SavedQuery,
  bound: BoundValues['bound'],
  values: Values,
): ChartOptions {
  const period = PERIODS.find((name) => name === bound['period']);
  const named = parameters.flatMap(({ name, type }) => {
    const value = values[name] ?? null;
    if (value === null) return [];
    return name === 'period' ? [`per ${value}`] : type === 'account' ? [String(value)] : [`${name} ${value}`];
  });
  return { title, subtitle: named.length === 0 ? undefined : named.join(', '), ...chart, ...(period && { period }) };
}

/** A note if the handle of an account was renamed, or if others had it. */
function describeHandle({ handle }: NamedTarget): string[] {
  const note = handle && describeHolders(handle.name, handle.holders);
  return note ? [note] : [];
}
