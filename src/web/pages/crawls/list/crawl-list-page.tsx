import { useEffect, useRef, useState } from 'preact/hooks';
import { formatCount, pluralize } from '../../../../text.ts';
import { FACTS } from '../../../app/facts.ts';
import { changeAddress } from '../../../app/router.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ProblemBanner } from '../../../components/problem-banner.tsx';
import { SearchBox } from '../../../components/search-box.tsx';
import { StoreCommand } from '../../../components/store-command.tsx';
import { BulkActions } from './bulk-actions.tsx';
import { clearConditions, readListQuery, readOrder, sortBy } from './crawl-address.ts';
import { createCrawlList } from './crawl-list-data.ts';
import { COLUMNS } from './crawl-row.tsx';
import { CrawlRows } from './crawl-rows.tsx';
import { FacetPanel } from './facet-panel.tsx';

/** All crawls, with a filter, a search and an order, which the address has. */
export function CrawlListPage() {
  const [list] = useState(createCrawlList);
  const query = readListQuery();
  const [isOpen, setOpen] = useState(false);
  const panel = useRef<HTMLElement>(null);
  useEffect(() => void list.restart(query), [query]);
  const data = list.latest.value;
  const problem = list.problem.value;
  const conditions = [...new URLSearchParams(query).keys()].filter((name) => name !== 'sort' && name !== 'reverse');
  function clear(): void {
    clearConditions();
    // The button goes.
    panel.current?.focus({ preventScroll: true });
  }
  return (
    <div class="page crawls-page">
      <header class="page-header">
        <h1>Crawls</h1>
        <p class="data-age" role="status">
          {data && !list.isBusy.value && <Total total={data.total} all={data.all} />}
        </p>
      </header>
      <div class="list-tools">
        <SearchBox
          label="Search targets"
          placeholder="Search targets: handle, id, text, #crawl"
          given={new URLSearchParams(query).get('q') ?? ''}
          onSearch={(q) => changeAddress({ q }, { isReplaced: true })}
        />
        <SortChoice />
        <button class="button facet-switch" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Filter{conditions.length > 0 && ` (${conditions.length})`}
        </button>
        {conditions.length > 0 && (
          <button class="button" onClick={clear}>
            Clear filter
          </button>
        )}
        {FACTS.isWritable && (
          <a class="button" href="/crawls/new">
            New crawl
          </a>
        )}
        <BulkActions list={list} isFiltered={conditions.length > 0} />
      </div>
      <div class="list-layout">
        <aside class={isOpen ? 'open' : ''} aria-label="Filter">
          {data && <FacetPanel facets={data.facets} />}
        </aside>
        <section ref={panel} tabIndex={-1} class="panel list-panel" aria-label="List of crawls">
          {problem && <ProblemBanner title="The crawls could not be read." problem={problem} />}
          {data && data.total === 0 && !list.isBusy.value ? (
            <NoCrawls all={data.all} onClear={clear} />
          ) : (
            <CrawlRows list={list} />
          )}
        </section>
      </div>
    </div>
  );
}

const Total = ({ total, all }: { readonly total: number; readonly all: number }) =>
  total === all ? (
    <span>{pluralize(all, 'crawl')}</span>
  ) : (
    <span>
      {formatCount(total)} of {pluralize(all, 'crawl')}
    </span>
  );

const NoCrawls = ({ all, onClear }: { readonly all: number; readonly onClear: () => void }) =>
  all === 0 ? (
    <EmptyState title="No crawls yet" action={<StoreCommand command="crawl timeline @nasa" />}>
      The store is empty. The first crawl fills it.
    </EmptyState>
  ) : (
    <EmptyState
      title="No crawl matches"
      action={
        <button class="button" onClick={onClear}>
          Clear filter
        </button>
      }
    >
      The store has {pluralize(all, 'crawl')}, none with all of these conditions.
    </EmptyState>
  );

const SORT_TITLES: Readonly<Record<string, string>> = {
  id: 'Newest',
  started: 'Last started',
  duration: 'Longest',
  pages: 'Most pages',
  requests: 'Most requests',
  target: 'Target',
};

/** The order, where the list has no columns. */
function SortChoice() {
  const { sort } = readOrder();
  return (
    <label class="sort-choice">
      <span class="visually-hidden">Sort by</span>
      <select
        value={sort}
        onChange={({ currentTarget: { value } }) => {
          if (value !== sort) sortBy(value);
        }}
      >
        {COLUMNS.flatMap(([, , column]) =>
          column === undefined
            ? []
            : [
                <option key={column} value={column}>
                  {SORT_TITLES[column]}
                </option>,
              ],
        )}
      </select>
    </label>
  );
}
