import { address, navigate } from '../../app/router.ts';
import type { TableOrder } from '../../components/data-table.tsx';

/** What the address of a query says. The names of parameters have no hyphen, unlike those of everything else. */
export interface QueryAddress {
  /** The values of parameters, as they were typed. */
  readonly values: Readonly<Record<string, string>>;
  /** Undefined if the result decides. */
  readonly view: 'table' | 'chart' | undefined;
  /** Whether the query is run. */
  readonly isRun: boolean;
  /** The column by which the rows are sorted, with `-` in front for the opposite direction; empty for their own order. */
  readonly sort: string;
}

const VIEWS = ['table', 'chart'] as const;

export function readQueryAddress(): QueryAddress {
  const { searchParams } = address.value;
  return {
    values: Object.fromEntries([...searchParams].filter(([name]) => !name.includes('-'))),
    view: VIEWS.find((view) => view === searchParams.get('view-as')),
    isRun: searchParams.has('run-now'),
    sort: searchParams.get('sort-by') ?? '',
  };
}

/** Shows another address of the same query. @param isReplaced whether the browser forgets the present one */
export function showQuery(changed: Partial<QueryAddress>, isReplaced = false): void {
  const { values, view, isRun, sort } = { ...readQueryAddress(), ...changed };
  const query = new URLSearchParams(values);
  if (view) query.set('view-as', view);
  if (sort !== '') query.set('sort-by', sort);
  if (isRun) query.set('run-now', '1');
  navigate(query.size === 0 ? address.value.pathname : `?${query.toString()}`, { isReplaced });
}

/** The order of the rows: a column sorts upwards, then downwards, then not at all. */
export function toRowOrder(sort: string): TableOrder {
  const isDescending = sort.startsWith('-');
  const by = isDescending ? sort.slice(1) : sort;
  return {
    by,
    direction: isDescending ? 'descending' : 'ascending',
    sort: (key) => showQuery({ sort: key !== by ? key : isDescending ? '' : `-${key}` }, true),
  };
}
