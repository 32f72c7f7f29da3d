import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { TableOrder } from '../components/data-table.tsx';
import { Field } from '../components/form-field.tsx';
import { PageFrame } from '../components/page-frame.tsx';
import { ProblemBanner } from '../components/problem-banner.tsx';
import { SearchBox } from '../components/search-box.tsx';
import { changeList, type ListAddress, readListQuery, readOrder, readParameter } from './list-address.ts';
import { type ListPart, useSteadyList } from './use-steady-list.ts';

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

/** A list with a search, a filter, an order and a position, which the address has; it does not move while somebody uses it. */
export function ListPage<R, D extends ListPart<R>>(props: {
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
}) {
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
  function clear(): void {
    changeList(Object.fromEntries(address.filters.map((name) => [name, ''])));
    // The button goes.
    panel.current?.focus({ preventScroll: true });
  }
  const clearButton = selected > 0 && (
    <button class="button" onClick={clear}>
      Clear filter
    </button>
  );
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
        <>
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
          <nav class="row" aria-label="Parts of the list" onClick={focusNext}>
            {readParameter('after') !== '' && <a href={hrefOf(address, query, null)}>First {items}</a>}
            {list.data.next !== null && <a href={hrefOf(address, query, list.data.next)}>Next {items}</a>}
          </nav>
        </>
      )}
    </PageFrame>
  );
}

/** The address of another part of a list. */
function hrefOf({ path }: ListAddress, query: string, after: string | null): string {
  const parameters = new URLSearchParams(query);
  if (after === null) parameters.delete('after');
  else parameters.set('after', after);
  return `${path}?${parameters}`;
}
