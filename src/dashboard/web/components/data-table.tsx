import type { ComponentChildren } from 'preact';

/** A column: its title, its cells, and their class. `head` is that of the cell that names the row, `bare` has no title on a narrow screen. */
export type Column<T> = readonly [title: string, render: (row: T) => ComponentChildren, className?: string];

/** What a table is sorted by. */
export interface TableOrder {
  readonly by: string;
  readonly direction: 'ascending' | 'descending';
  /** Sorts by a key; in the opposite direction if it does so already. */
  sort(key: string): void;
}

interface Sorting {
  readonly order: TableOrder;
  /** The key of a column; undefined if nothing is sorted by it. */
  readonly keyOf: (title: string) => string | undefined;
}

/** A table with an item to a row; on a narrow screen, with an item to a block. The roles keep it a table there, too. */
export const DataTable = <T,>(props: {
  readonly class?: string;
  readonly caption: ComponentChildren;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T, index: number) => string | number;
  readonly rowClass?: (row: T) => string;
  readonly sorting?: Sorting | undefined;
}) => {
  const { columns, rows, keyOf, rowClass, sorting } = props;
  return (
    <table class={props.class ?? 'block-table'} role="table">
      <caption class="visually-hidden">{props.caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(([title, , className]) => (
            <Title key={title} title={title} class={className} sorting={sorting} />
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
  readonly class?: string | undefined;
  readonly sorting: Sorting | undefined;
}) {
  const { title, sorting } = props;
  const key = sorting?.keyOf(title);
  if (!sorting || key === undefined)
    return (
      <th role="columnheader" scope="col" class={props.class}>
        {title}
      </th>
    );
  const { by, direction, sort } = sorting.order;
  const isSorted = by === key;
  return (
    <th role="columnheader" scope="col" class={props.class} aria-sort={isSorted ? direction : undefined}>
      <button type="button" class="sort" onClick={() => sort(key)}>
        <bdi>{title}</bdi>
        {isSorted && <span aria-hidden="true">{ARROWS[direction]}</span>}
      </button>
    </th>
  );
}
