import type { ComponentChildren } from 'preact';

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
