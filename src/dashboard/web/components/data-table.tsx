import type { ComponentChildren } from 'preact';
import { toPrintable } from '#base/text.ts';
import type { QueryCell } from '#dashboard/server/api/queries.ts';

/**
 * A column: its title, its cells, their class, and what it sorts by. The class of the cell that names the row is `head`; `bare` has
 * no title on a narrow screen.
 */
export type Column<T> = readonly [
  title: string,
  render: (row: T) => ComponentChildren,
  className?: string,
  sortKey?: string,
];

/** What a table is sorted by. */
export interface TableOrder {
  readonly by: string;
  readonly direction: 'ascending' | 'descending';
  /** Sorts by a key; in the opposite direction if it does so already. */
  sort(key: string): void;
}

/** A table with an item to a row; on a narrow screen, with an item to a block. The roles keep it a table there, too. */
export const DataTable = <T,>(props: {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T, index: number) => string | number;
  readonly rowClass?: (row: T) => string;
  readonly order?: TableOrder | undefined;
}) => <Table {...props} class="block-table" />;

/** A table of any number of columns, which is scrolled on a narrow screen. */
export const WideTable = <T,>(props: Parameters<typeof DataTable<T>>[0]) => (
  <div class="scroll" tabIndex={0} role="region" aria-label={props.caption}>
    <Table {...props} class="row-table" />
  </div>
);

const Table = <T,>(props: Parameters<typeof DataTable<T>>[0] & { readonly class: string }) => {
  const { columns, rows, keyOf, rowClass, order } = props;
  return (
    <table class={props.class} role="table">
      <caption class="visually-hidden">{props.caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(([title, , className, sortKey]) => (
            <Title key={title} title={title} class={className} order={order} sortKey={sortKey} />
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row, i) => (
          <tr key={keyOf(row, i)} role="row" class={rowClass?.(row)}>
            {columns.map(([title, render, className = '']) =>
              className.includes('head') ? (
                <th key={title} role="rowheader" scope="row" class={className}>
                  {render(row)}
                </th>
              ) : (
                <td key={title} role="cell" class={className} data-label={title}>
                  {render(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
};

const ARROWS = { ascending: ' ↑', descending: ' ↓' } as const;

/** The title of a column. A button sorts. */
function Title(props: {
  readonly title: string;
  readonly class: string | undefined;
  readonly order: TableOrder | undefined;
  readonly sortKey: string | undefined;
}) {
  const { title, order, sortKey } = props;
  const isSorted = order?.by === sortKey && sortKey !== undefined;
  return (
    <th role="columnheader" scope="col" class={props.class} aria-sort={isSorted ? order?.direction : undefined}>
      {order && sortKey !== undefined ? (
        <button type="button" class="sort" onClick={() => order.sort(sortKey)}>
          <bdi>{title}</bdi>
          {isSorted && <span aria-hidden="true">{ARROWS[order.direction]}</span>}
        </button>
      ) : (
        title
      )}
    </th>
  );
}

type ResultRow = Readonly<Record<string, QueryCell>>;

const collator = new Intl.Collator('en', { numeric: true });

/** The rows of a result, in the order of a column; in their own order without one. */
export const RowTable = ({
  rows,
  order,
}: {
  readonly rows: readonly ResultRow[];
  readonly order?: TableOrder | undefined;
}) => (
  <WideTable
    caption="Rows"
    columns={listColumns(rows)}
    rows={order ? sortRows(rows, order) : rows}
    keyOf={(_, index) => index}
    order={order}
  />
);

const listColumns = (rows: readonly ResultRow[]): Column<ResultRow>[] =>
  Object.keys(rows[0] ?? {}).map((name) => [
    toPrintable(name),
    ({ [name]: value = null }) =>
      value === null ? <span class="muted">–</span> : <bdi>{toPrintable(String(value))}</bdi>,
    chooseClass(rows.map(({ [name]: value }) => value ?? null)),
    name,
  ]);

/** A text of more characters is broken into lines; times and ids are not. */
const MAX_UNBROKEN = 30;

function chooseClass(values: readonly QueryCell[]): string {
  if (values.every((value) => typeof value !== 'string')) return 'number';
  return values.some((value) => String(value).length > MAX_UNBROKEN) ? '' : 'nowrap';
}

/** Missing values are last. */
function sortRows(rows: readonly ResultRow[], { by, direction }: TableOrder): readonly ResultRow[] {
  const isMissing = (row: ResultRow): boolean => (row[by] ?? null) === null;
  const sorted = rows
    .filter((row) => !isMissing(row))
    .toSorted((a, b) => collator.compare(String(a[by]), String(b[by])));
  return [...(direction === 'ascending' ? sorted : sorted.toReversed()), ...rows.filter(isMissing)];
}
