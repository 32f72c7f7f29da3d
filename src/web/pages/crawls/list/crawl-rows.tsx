import { useEffect, useRef, useState } from 'preact/hooks';
import { useFocusedRows } from '../../../components/use-focused-rows.ts';
import { overview } from '../../../live/live-updates.ts';
import { readListQuery, readOrder, sortBy } from './crawl-address.ts';
import type { CrawlList } from './crawl-list-data.ts';
import { COLUMNS, CrawlRowCells } from './crawl-row.tsx';

/** The heights of a row in pixels: crawl-list.css has the same. */
const HEIGHTS = { wide: 46, medium: 76, narrow: 104 } as const;
const wide = matchMedia('(min-width: 64.01rem)');
const narrow = matchMedia('(max-width: 40rem)');

/** The rows of the list. Only those on the screen are drawn; all have their place. */
export function CrawlRows({ list }: { readonly list: CrawlList }) {
  const [table, body] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];
  const [isWide, isNarrow] = [useMedia(wide), useMedia(narrow)];
  const [isPointed, setPointed] = useState(false);
  // The rows are drawn again when the list has changed.
  void list.revision.value;
  const {
    rows,
    range: [first, last],
    height,
    count,
    focused,
    onKeyDown,
    rowAttributes,
  } = useFocusedRows(body, {
    count: list.length.value,
    rowHeight: HEIGHTS[isWide ? 'wide' : isNarrow ? 'narrow' : 'medium'],
  });
  useEffect(() => list.need(first, last));

  const at = overview.value?.at;
  useEffect(() => {
    const top = body.current?.getBoundingClientRect().top ?? 0;
    const isReading = isPointed || focused >= 0 || top < 0;
    const shown = rows.flatMap(({ index }) => list.idAt(index) ?? []);
    void list.refresh(shown, !isReading);
  }, [at]);

  function showChanges(): void {
    // The button goes.
    table.current?.focus({ preventScroll: true });
    void list.restart(readListQuery());
  }

  return (
    <>
      <div class="list-news" role="status">
        {list.hasChanged.value && (
          <button class="button" onClick={showChanges}>
            The list has changed: show it
          </button>
        )}
      </div>
      <div
        ref={table}
        tabIndex={-1}
        class={`crawl-list ${list.isBusy.value ? 'busy' : ''}`}
        role="table"
        aria-label="Crawls"
        aria-rowcount={list.length.value + 1}
        aria-busy={list.isBusy.value}
        onPointerEnter={() => setPointed(true)}
        onPointerLeave={() => setPointed(false)}
        onKeyDown={onKeyDown}
      >
        <Head />
        <div ref={body} role="rowgroup" class="crawl-list-body" style={{ height: `${height}px` }}>
          {rows.map(({ index, start }) => {
            const row = list.rowAt(index);
            return (
              <div
                key={list.idAt(index) ?? `row ${index}`}
                role="row"
                aria-rowindex={index + 2}
                class={`crawl-list-row ${row?.state ?? ''}`}
                style={{ transform: `translateY(${start}px)` }}
                {...rowAttributes(index)}
              >
                {row ? (
                  <CrawlRowCells row={row} />
                ) : (
                  <span role="cell" class="muted">
                    …
                  </span>
                )}
              </div>
            );
          })}
        </div>
      </div>
      {count < list.length.value && (
        <p class="more">The list shows the first {count.toLocaleString('en')} crawls. Filter it to see the others.</p>
      )}
    </>
  );
}

/** The titles of the columns. A button sorts. */
function Head() {
  const { sort, isReversed } = readOrder();
  return (
    <div role="rowgroup" class="crawl-list-head">
      <div role="row" aria-rowindex={1} class="crawl-list-row">
        {COLUMNS.map(([title, className, column]) => {
          const isSorted = column !== undefined && sort === column;
          // Targets begin with A, everything else with the largest value.
          const direction = (column === 'target') === isReversed ? 'descending' : 'ascending';
          return (
            <span key={title} role="columnheader" class={className} aria-sort={isSorted ? direction : undefined}>
              {column === undefined ? (
                title
              ) : (
                <button class={isSorted ? 'sorted' : ''} onClick={() => sortBy(column)}>
                  {title === '#' ? <SpokenNumber /> : title}
                  {isSorted && <span aria-hidden="true">{direction === 'ascending' ? ' ↑' : ' ↓'}</span>}
                </button>
              )}
            </span>
          );
        })}
      </div>
    </div>
  );
}

const SpokenNumber = () => (
  <>
    <span aria-hidden="true">#</span>
    <span class="visually-hidden">Number</span>
  </>
);

function useMedia(query: MediaQueryList): boolean {
  const [isMatching, setMatching] = useState(query.matches);
  useEffect(() => {
    const update = (): void => setMatching(query.matches);
    query.addEventListener('change', update);
    return () => query.removeEventListener('change', update);
  }, [query]);
  return isMatching;
}
