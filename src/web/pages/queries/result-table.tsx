import { useMemo, useRef, useState } from 'preact/hooks';
import type { QueryCell } from '../../../dashboard/api/queries.ts';
import { formatCount, toPrintable } from '../../../text.ts';
import { useFocusedRows } from '../../components/use-focused-rows.ts';
import { showQuery } from './query-address.ts';
import { RowDialog } from './row-dialog.tsx';
import { listColumns, type CellColumn, type ResultRow, sortRows } from './sort-rows.ts';

/** The height of a row in pixels: queries.css has the same. */
const ROW_HEIGHT = 36;
/** More than a cell shows, in characters. */
const MAX_CELL = 200;

/** The rows of a result, sorted by a column. Only those on the screen are drawn. */
export function ResultTable(props: {
  readonly rows: readonly ResultRow[];
  readonly sort: string;
  readonly isCut: boolean;
}) {
  const { rows, sort, isCut } = props;
  const columns = useMemo(() => listColumns(rows), [rows]);
  const sorted = useMemo(() => sortRows(rows, sort), [rows, sort]);
  const body = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState(-1);
  const {
    rows: drawn,
    height,
    count,
    onKeyDown,
    rowAttributes,
  } = useFocusedRows(body, { count: sorted.length, rowHeight: ROW_HEIGHT });

  const widths = columns.map(({ width }) => `minmax(${width}ch, ${width}fr)`).join(' ');
  return (
    <>
      {isCut && sort !== '' && <p class="more">Only the first {formatCount(rows.length)} rows are sorted.</p>}
      <div class="result-scroll">
        <div
          class="result-table"
          role="table"
          aria-label="Rows"
          aria-rowcount={sorted.length + 1}
          style={{ '--columns': `4.5ch ${widths}` }}
          onKeyDown={onKeyDown}
        >
          <Head columns={columns} sort={sort} />
          <div ref={body} role="rowgroup" class="result-body" style={{ height: `${height}px` }}>
            {drawn.map(({ index, start }) => (
              <div
                key={index}
                role="row"
                aria-rowindex={index + 2}
                class="result-row"
                style={{ transform: `translateY(${start}px)` }}
                {...rowAttributes(index)}
              >
                <span role="rowheader">
                  <button
                    type="button"
                    class="row-number"
                    aria-label={`Row ${index + 1}`}
                    onClick={() => setOpened(index)}
                  >
                    {formatCount(index + 1)}
                  </button>
                </span>
                {columns.map(({ name, isNumber }) => (
                  <Cell key={name} value={sorted[index]![name] ?? null} isNumber={isNumber} />
                ))}
              </div>
            ))}
          </div>
        </div>
      </div>
      {count < sorted.length && <p class="more">The table shows the first {formatCount(count)} rows.</p>}
      {opened >= 0 && sorted[opened] && (
        <RowDialog number={opened + 1} row={sorted[opened]} onClose={() => setOpened(-1)} />
      )}
    </>
  );
}

/** The titles of the columns. A button sorts: first upwards, then downwards, then not at all. */
const Head = ({ columns, sort }: { readonly columns: readonly CellColumn[]; readonly sort: string }) => (
  <div role="rowgroup">
    <div role="row" aria-rowindex={1} class="result-row result-head">
      <span role="columnheader">
        <span class="visually-hidden">Row</span>
      </span>
      {columns.map(({ name, isNumber }) => {
        const direction = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : undefined;
        const next = direction === undefined ? name : direction === 'ascending' ? `-${name}` : '';
        return (
          <span key={name} role="columnheader" aria-sort={direction} class={isNumber ? 'number' : ''}>
            <button type="button" onClick={() => showQuery({ sort: next }, true)}>
              <bdi>{toPrintable(name)}</bdi>
              <span aria-hidden="true">{direction === undefined ? '' : direction === 'ascending' ? ' ↑' : ' ↓'}</span>
            </button>
          </span>
        );
      })}
    </div>
  </div>
);

const Cell = ({ value, isNumber }: { readonly value: QueryCell; readonly isNumber: boolean }) => (
  <span role="cell" class={isNumber ? 'number' : ''}>
    {value === null ? <span class="muted">–</span> : <bdi>{toPrintable(String(value).slice(0, MAX_CELL))}</bdi>}
  </span>
);
