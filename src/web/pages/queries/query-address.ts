import { address, navigate } from '../../app/router.ts';

/** What the address of a query says. The names of parameters have no hyphen, unlike those of everything else. */
export interface QueryAddress {
  /** The values of parameters, as they were typed. */
  readonly values: Readonly<Record<string, string>>;
  readonly timeLimit: string;
  readonly view: 'table' | 'chart';
  /** Whether the query is run. */
  readonly isRun: boolean;
  /** The column by which the rows are sorted, with `-` in front for the opposite direction; empty for their own order. */
  readonly sort: string;
}

/** The time limits that can be chosen, in seconds. */
export const TIME_LIMITS: Readonly<Record<string, string>> = {
  10: '10 s',
  30: '30 s',
  60: '1 min',
  300: '5 min',
};
const DEFAULT_TIME_LIMIT = '30';

export function readQueryAddress(): QueryAddress {
  const { searchParams } = address.value;
  return {
    values: Object.fromEntries([...searchParams].filter(([name]) => !name.includes('-'))),
    timeLimit: searchParams.get('time-limit') ?? DEFAULT_TIME_LIMIT,
    view: searchParams.get('view-as') === 'chart' ? 'chart' : 'table',
    isRun: searchParams.has('run-now'),
    sort: searchParams.get('sort-by') ?? '',
  };
}

/** Returns what a run depends on, as a query. */
export const formatRun = ({ values, timeLimit }: Pick<QueryAddress, 'values' | 'timeLimit'>): URLSearchParams =>
  new URLSearchParams({ ...values, ...(timeLimit !== DEFAULT_TIME_LIMIT && { 'time-limit': timeLimit }) });

/** Shows another address of the same query. @param isReplaced whether the browser forgets the present one */
export function showQuery(changed: Partial<QueryAddress>, isReplaced = false): void {
  const { view, isRun, sort, ...run } = { ...readQueryAddress(), ...changed };
  const query = formatRun(run);
  if (view === 'chart') query.set('view-as', 'chart');
  if (sort !== '') query.set('sort-by', sort);
  if (isRun) query.set('run-now', '1');
  navigate(query.size === 0 ? address.value.pathname : `?${query.toString()}`, { isReplaced });
}
