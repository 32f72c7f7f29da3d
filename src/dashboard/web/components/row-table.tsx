import { toPrintable } from '../../../base/text.ts';
import type { QueryCell } from '../../server/api/queries.ts';
import { type Column, type TableOrder, WideTable } from './data-table.tsx';

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
