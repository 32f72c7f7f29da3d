import type { ComponentChildren, Ref } from 'preact';

/** A column: its title, and the class of its title. */
export type TableColumn = readonly [title: string, className?: string | undefined];

/** A table with an item to a row; on a narrow screen, with an item to a block. The roles keep it a table there, too. */
export const BlockTable = (props: {
  /** The class beside `block-table`. */
  readonly class: string;
  readonly caption: ComponentChildren;
  readonly columns: readonly TableColumn[];
  readonly children: ComponentChildren;
  /** With it, scripts may move the focus to the table. */
  readonly tableRef?: Ref<HTMLTableElement>;
}) => (
  <table
    class={`block-table ${props.class}`}
    role="table"
    {...(props.tableRef && { ref: props.tableRef, tabIndex: -1 })}
  >
    <caption class="visually-hidden">{props.caption}</caption>
    <thead role="rowgroup">
      <tr role="row">
        {props.columns.map(([title, className = '']) => (
          <th key={title} role="columnheader" scope="col" class={className}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
    <tbody role="rowgroup">{props.children}</tbody>
  </table>
);
