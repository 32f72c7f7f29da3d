import type { ComponentChildren, RefObject } from 'preact';
import { useRef, useEffect, useState } from 'preact/hooks';
import { hrefOf, readParameter, changeAddress, selectParameters } from '#dashboard/web/app/router.ts';
import { useData } from '#dashboard/web/live/use-data.ts';
import type { TableOrder } from './data-table.tsx';
import { Field } from './form.tsx';
import { PageFrame, ProblemBanner } from './page-frame.tsx';

/** A list that is shown, with its address. */
export interface ShownList<D> {
  readonly data: D;
  readonly query: string;
  readonly order: TableOrder;
  readonly repeat: () => void;
  /** A button that removes all conditions; false without any. */
  readonly clearButton: ComponentChildren;
  /** The number of conditions. */
  readonly selected: number;
}

interface ListPageProps<R, D> {
  /** What is listed: `Crawls`. */
  readonly title: string;
  readonly address: ListAddress;
  readonly searchHint: string;
  readonly keyOf: (row: R) => string | number;
  /** The number of rows, in words. */
  readonly describeTotal: (data: D) => string;
  /** Beside the search. */
  readonly actions?: (list: ShownList<D>) => ComponentChildren;
  readonly filter: (list: ShownList<D>) => ComponentChildren;
  /** The rows, or why there are none. */
  readonly children: (list: ShownList<D>) => ComponentChildren;
}

/** A list with a search, a filter, an order and a position, which the address has; it does not move while somebody uses it. */
export function ListPage<R, D extends ListPart<R>>(props: ListPageProps<R, D>) {
  const { title, address, keyOf } = props;
  const panel = useRef<HTMLElement>(null);
  const query = readListQuery(address);
  const { shown, problem, isBusy, hasMoved, repeat, showMoved, focusNext } = useSteadyList<R, D>(
    `/api${address.path}`,
    query,
    panel,
    keyOf,
  );
  const items = title.toLowerCase();
  const order = readOrder(address);
  const selected = address.filters.filter((name) => readParameter(name) !== '').length;
  const clearButton = selected > 0 && <ClearButton filters={address.filters} panel={panel} />;
  const list = shown && { data: shown, query, order, repeat, clearButton, selected };
  return (
    <PageFrame title={title} facts={[shown && !isBusy && props.describeTotal(shown)]}>
      <div class="row">
        <SearchBox
          label={`Search ${items}`}
          placeholder={props.searchHint}
          given={readParameter('q')}
          onSearch={(q) => changeList({ q }, { isReplaced: true })}
        />
        <Field name="sort" label="Sort by" value={order.by} choices={address.sorts} onChoose={order.sort} />
        {clearButton}
        {list && props.actions?.(list)}
      </div>
      {problem && <ProblemBanner title={`The ${items} could not be read.`} problem={problem} />}
      {list && props.filter(list)}
      {list && (
        <section
          ref={panel}
          tabIndex={-1}
          class={`panel ${isBusy ? 'busy' : ''}`}
          aria-label={`List of ${items}`}
          aria-busy={isBusy}
        >
          <div class="list-news" role="status">
            {hasMoved && (
              <button class="button" onClick={showMoved}>
                The list has changed: show it
              </button>
            )}
          </div>
          {props.children(list)}
        </section>
      )}
      {list && <PartLinks items={items} next={list.data.next} onFollow={focusNext} />}
    </PageFrame>
  );
}

const PartLinks = (props: { readonly items: string; readonly next: string | null; readonly onFollow: () => void }) => (
  <nav class="row" aria-label="Parts of the list" onClick={props.onFollow}>
    {readParameter('after') !== '' && <a href={hrefOf({ after: '' })}>First {props.items}</a>}
    {props.next !== null && <a href={hrefOf({ after: props.next })}>Next {props.items}</a>}
  </nav>
);

function ClearButton({
  filters,
  panel,
}: Pick<ListAddress, 'filters'> & { readonly panel: RefObject<HTMLElement | null> }) {
  function clear(): void {
    changeList(Object.fromEntries(filters.map((name) => [name, ''])));
    // The button goes.
    panel.current?.focus({ preventScroll: true });
  }
  return (
    <button class="button" onClick={clear}>
      Clear filter
    </button>
  );
}

/** A part of a list. */
interface ListPart<R> {
  readonly rows: readonly R[];
  /** Where the next part begins; null after the last one. */
  readonly next: string | null;
}

/**
 * Reads a part of a list. Until another one is read, the previous one stays. While somebody uses the panel, no row moves: rows have
 * their present values, and `hasMoved` says that the order is another one.
 */
function useSteadyList<R, D extends ListPart<R>>(
  path: string,
  query: string,
  panel: { readonly current: HTMLElement | null },
  keyOf: (row: R) => string | number,
) {
  const { data, problem, busySince, repeat } = useData<D>(`${path}?${query}`);
  const [shown, setShown] = useState<{ readonly query: string; readonly data: D }>();
  const isPresent = shown?.query === query;
  const formatOrder = ({ rows, next }: D): string => JSON.stringify([rows.map(keyOf), next]);
  const hasMoved = data !== undefined && isPresent && formatOrder(shown.data) !== formatOrder(data);
  useEffect(() => {
    if (data && busySince === undefined && !(hasMoved && isUsed(panel.current))) setShown({ query, data });
  }, [data, busySince]);
  const wasRequested = useRef(false);
  useEffect(() => {
    if (!wasRequested.current || !isPresent) return;
    wasRequested.current = false;
    panel.current?.focus();
  }, [shown]);
  /** The values of the present list, in the order of the one that is shown. */
  function keepOrder({ rows, next }: D, present: D): D {
    const known = new Map(present.rows.map((row) => [keyOf(row), row]));
    return { ...present, rows: rows.map((row) => known.get(keyOf(row)) ?? row), next };
  }
  return {
    shown: problem !== undefined && !isPresent ? undefined : hasMoved ? keepOrder(shown.data, data) : shown?.data,
    problem,
    isBusy: !isPresent,
    hasMoved,
    repeat,
    /** Shows the present order. */
    showMoved(): void {
      if (data) setShown({ query, data });
      panel.current?.focus();
    },
    /** Moves the focus to the panel when the next part is shown. */
    focusNext: (): void => void (wasRequested.current = true),
  };
}

const isUsed = (panel: HTMLElement | null): boolean =>
  panel !== null &&
  (panel.matches(':hover') || panel.contains(document.activeElement) || panel.getBoundingClientRect().top < 0);

/** A list whose address has its search, its filter, its order and its place. A shared link shows the same list. */
interface ListAddress {
  readonly path: string;
  /** The parameters of the address that narrow the list. */
  readonly filters: readonly string[];
  /** The titles of the orders; the first one is the normal one. */
  readonly sorts: Readonly<Record<string, string>>;
  /** What begins with A; everything else begins with the largest value. */
  readonly textSort: string;
}

/** The query of a list at the present address. */
const readListQuery = ({ filters }: ListAddress): string => selectParameters([...filters, 'sort', 'reverse', 'after']);

/** Changes the filter or the order. The list begins with its first rows. */
export const changeList = (
  changes: Readonly<Record<string, string>>,
  options?: { readonly isReplaced: boolean },
): void => changeAddress({ ...changes, after: '' }, options);

/** Selects a value of a parameter, or no longer. */
export function toggleValue(name: string, value: string): void {
  const values = readParameter(name)
    .split(',')
    .filter((one) => one !== '');
  changeList({ [name]: (values.includes(value) ? values.filter((one) => one !== value) : [...values, value]).join() });
}

/** The order of the present address. */
function readOrder({ sorts, textSort }: ListAddress): TableOrder {
  const normalSort = Object.keys(sorts)[0]!;
  const by = readParameter('sort') || normalSort;
  const isReversed = readParameter('reverse') === '1';
  return {
    by,
    direction: (by === textSort) === isReversed ? 'descending' : 'ascending',
    sort: (key) => changeList({ sort: key === normalSort ? '' : key, reverse: key === by && !isReversed ? '1' : '' }),
  };
}

const TYPING_MS = 250;

/** Searches a list while the user types. What is typed while the list is read is kept. */
export function SearchBox(props: {
  readonly label: string;
  readonly placeholder: string;
  /** The search of the address. */
  readonly given: string;
  readonly onSearch: (search: string) => void;
}) {
  const { label, placeholder, given, onSearch } = props;
  const [text, setText] = useState(given);
  const searched = useRef(given);
  // Another address, such as that of an earlier page.
  useEffect(() => {
    if (given !== searched.current) setText((searched.current = given));
  }, [given]);
  useEffect(() => {
    const search = text.trim();
    if (search === given) return undefined;
    const timer = setTimeout(() => {
      searched.current = search;
      onSearch(search);
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <label class="search-box">
      <span class="visually-hidden">{label}</span>
      <input
        type="search"
        placeholder={placeholder}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </label>
  );
}
