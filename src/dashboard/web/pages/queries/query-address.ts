import { changeAddress, readParameter, address } from '../../app/router.ts';
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
  return {
    values: Object.fromEntries([...address.value.searchParams].filter(([name]) => !name.includes('-'))),
    view: VIEWS.find((view) => view === readParameter('view-as')),
    isRun: readParameter('run-now') !== '',
    sort: readParameter('sort-by'),
  };
}

/** The order of the rows: a column sorts upwards, then downwards, then not at all. */
export function toRowOrder(sort: string): TableOrder {
  const isDescending = sort.startsWith('-');
  const by = isDescending ? sort.slice(1) : sort;
  return {
    by,
    direction: isDescending ? 'descending' : 'ascending',
    sort: (key) => changeAddress({ 'sort-by': key !== by ? key : isDescending ? '' : `-${key}` }, { isReplaced: true }),
  };
}
