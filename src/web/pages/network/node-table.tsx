import { useEffect, useState } from 'preact/hooks';
import type { ListState, NetworkNode } from '../../../dashboard/api/network.ts';
import { formatCount, pluralize } from '../../../text.ts';
import { type Communities, EGO_COLOR, type NetworkModel } from './network-model.ts';

interface TableProps {
  readonly model: NetworkModel;
  readonly communities: Communities;
  /** The nodes that the picture shows. */
  readonly shown: readonly number[];
  /** The node whose neighbours the picture shows; -1 for none. */
  readonly selected: number;
  readonly onSelect: (node: number) => void;
}

const PAGE = 25;

/** The nodes of the picture as a table, with an order, a search and pages. */
export function NodeTable(props: TableProps) {
  const { model, communities, shown } = props;
  const [order, setOrder] = useState<{ column: ColumnName; isReversed: boolean }>({
    ...{ column: 'followers', isReversed: false },
  });
  const [search, setSearch] = useState('');
  const [page, setPage] = useState(0);
  useEffect(() => setPage(0), [model, shown, search, order]);
  const { nodes } = model.data;
  const words = search.trim().toLowerCase();
  const found = shown.filter((node) =>
    `${nodes[node]!.label} ${nodes[node]!.name ?? ''}`.toLowerCase().includes(words),
  );
  const valueOf = COLUMNS[order.column].value;
  const sign = order.isReversed ? -1 : 1;
  const sorted = found.toSorted(
    (a, b) => sign * compare(valueOf(a, model, communities), valueOf(b, model, communities)) || a - b,
  );
  const first = Math.min(page, Math.floor(Math.max(0, sorted.length - 1) / PAGE)) * PAGE;
  const rows = sorted.slice(first, first + PAGE);
  return (
    <>
      <div class="node-tools">
        <label>
          <span class="visually-hidden">Find an account of the network</span>
          <input
            type="search"
            placeholder="Find an account of the network"
            value={search}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
        </label>
        <p class="muted" role="status">
          {sorted.length === 0
            ? 'No account matches'
            : `${formatCount(first + 1)} to ${formatCount(first + rows.length)} of ${pluralize(sorted.length, 'account')}`}
        </p>
      </div>
      <div class="node-scroll" tabIndex={0} role="region" aria-label="Accounts of the network">
        <table class="node-table">
          <caption class="visually-hidden">Accounts of the network, with the follows among them</caption>
          <thead>
            <tr>
              {COLUMN_NAMES.map((name) => (
                <HeadCell
                  key={name}
                  name={name}
                  order={order}
                  onSort={() => setOrder({ column: name, isReversed: order.column === name && !order.isReversed })}
                />
              ))}
              <th scope="col">
                <span class="visually-hidden">In the picture</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((node) => (
              <Row key={nodes[node]!.restId} node={node} {...props} />
            ))}
          </tbody>
        </table>
      </div>
      {sorted.length > PAGE && (
        <nav class="node-pages" aria-label="Parts of the table">
          <button class="button" disabled={first === 0} onClick={() => setPage(first / PAGE - 1)}>
            Previous
          </button>
          <button class="button" disabled={first + PAGE >= sorted.length} onClick={() => setPage(first / PAGE + 1)}>
            Next
          </button>
        </nav>
      )}
    </>
  );
}

type Value = (node: number, model: NetworkModel, communities: Communities) => number | string;

/** How a column is called and sorted. Numbers are sorted the largest first, texts and ranks the first first. */
interface Column {
  readonly title: string;
  readonly isNumber: boolean;
  readonly value: Value;
}

const COLUMNS = {
  account: { title: 'Account', isNumber: false, value: (node, { data }) => data.nodes[node]!.label.toLowerCase() },
  community: { title: 'Community', isNumber: false, value: (node, _, { of }) => `${of[node]! + 1}` },
  followers: { title: 'Followers', isNumber: true, value: (node, { data }) => data.nodes[node]!.followers ?? -1 },
  followed: { title: 'Follows here', isNumber: true, value: (node, { followed }) => followed[node]! },
  followedBy: { title: 'Followed here by', isNumber: true, value: (node, { followedBy }) => followedBy[node]! },
  lists: { title: 'Collected lists', isNumber: false, value: (node, { data }) => describeLists(data.nodes[node]!) },
} satisfies Readonly<Record<string, Column>>;

type ColumnName = keyof typeof COLUMNS;
const COLUMN_NAMES = Object.keys(COLUMNS) as readonly ColumnName[];

const compare = (a: number | string, b: number | string): number =>
  typeof a === 'number' ? Number(b) - a : a < String(b) ? -1 : a > String(b) ? 1 : 0;

const HeadCell = (props: {
  readonly name: ColumnName;
  readonly order: { readonly column: ColumnName; readonly isReversed: boolean };
  readonly onSort: () => void;
}) => {
  const { title, isNumber } = COLUMNS[props.name];
  const isSorted = props.order.column === props.name;
  const isAscending = isNumber === props.order.isReversed;
  return (
    <th
      scope="col"
      class={isNumber ? 'number' : ''}
      aria-sort={isSorted ? (isAscending ? 'ascending' : 'descending') : undefined}
    >
      <button type="button" onClick={props.onSort}>
        {title}
        <span aria-hidden="true">{isSorted ? (isAscending ? ' ↑' : ' ↓') : ''}</span>
      </button>
    </th>
  );
};

function Row({ node, model, communities, selected, onSelect }: TableProps & { readonly node: number }) {
  const { restId, label, name, followers } = model.data.nodes[node]!;
  const community = communities.list[communities.of[node]!];
  const isSelected = node === selected;
  return (
    <tr class={isSelected ? 'selected' : ''}>
      <th scope="row">
        <a href={`/accounts/${encodeURIComponent(`id:${restId}`)}`}>
          <bdi>{label}</bdi>
        </a>
        <bdi class="node-name">{name}</bdi>
      </th>
      <td>
        <span class="node-community">
          <i aria-hidden="true" style={{ background: `var(--${community?.color ?? EGO_COLOR})` }} />
          <span class="clamp">{community?.title ?? 'Given'}</span>
        </span>
      </td>
      <td class="number">{followers === null ? '–' : formatCount(followers)}</td>
      <td class="number">{formatCount(model.followed[node]!)}</td>
      <td class="number">{formatCount(model.followedBy[node]!)}</td>
      <td>{describeLists(model.data.nodes[node]!)}</td>
      <td class="number">
        <button
          type="button"
          class="button small"
          aria-pressed={isSelected}
          aria-label={`Highlight ${label}`}
          onClick={() => onSelect(isSelected ? -1 : node)}
        >
          Highlight
        </button>
      </td>
    </tr>
  );
}

const STATES: Readonly<Record<ListState, string>> = { complete: '', partial: ' in part', none: '' };

/** Which lists of an account were collected. */
export function describeLists({ lists }: Pick<NetworkNode, 'lists'>): string {
  const collected = (['followers', 'following'] as const).flatMap((side) =>
    lists[side] === 'none' ? [] : [`${side}${STATES[lists[side]]}`],
  );
  return collected.length === 0 ? 'Not collected' : collected.join(', ').replace(/^./, (first) => first.toUpperCase());
}
