import { useRef } from 'preact/hooks';
import { formatCount, pluralize } from '../../../../base/text.ts';
import type { CrawlListData } from '../../../server/api/crawls.ts';
import type { CrawlLine } from '../../../server/api/overview.ts';
import { FACTS } from '../../app/facts.ts';
import { ActionButtons, type ConfirmedAction } from '../../components/action-buttons.tsx';
import { Selection } from '../../components/choices.tsx';
import { CrawlTable } from '../../components/crawl-table.tsx';
import { EmptyState, NoCrawls } from '../../components/empty-state.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { ProblemBanner } from '../../components/problem-banner.tsx';
import { SearchBox } from '../../components/search-box.tsx';
import { changeList, readListQuery, readOrder, readParameter } from '../../list/list-address.ts';
import { ListPanel } from '../../list/list-panel.tsx';
import { useSteadyList } from '../../list/use-steady-list.ts';
import { sendAction } from '../../live/send-action.ts';
import { FacetPanel } from './facet-panel.tsx';

const ADDRESS = {
  path: '/crawls',
  filters: ['q', 'state', 'kind', 'reason', 'priority', 'job', 'run', 'children'],
  normalSort: 'id',
  textSort: 'target',
};
const SORT_TITLES: Readonly<Record<string, string>> = {
  id: 'Newest',
  started: 'Last started',
  duration: 'Longest',
  pages: 'Most pages',
  requests: 'Most requests',
  target: 'Target',
};

/** All crawls, with a filter, a search and an order, which the address has. */
export function CrawlListPage() {
  const panel = useRef<HTMLElement>(null);
  const query = readListQuery(ADDRESS);
  const list = useSteadyList<CrawlLine, CrawlListData>('/api/crawls', query, panel, ({ id }) => id);
  const order = readOrder(ADDRESS);
  const selected = ADDRESS.filters.filter((name) => readParameter(name) !== '').length;
  const { shown, isBusy, problem } = list;
  function clear(): void {
    changeList(Object.fromEntries(ADDRESS.filters.map((name) => [name, ''])));
    // The button goes.
    panel.current?.focus({ preventScroll: true });
  }
  const clearButton = selected > 0 && (
    <button class="button" onClick={clear}>
      Clear filter
    </button>
  );
  return (
    <PageFrame title="Crawls" facts={[shown && !isBusy && describeTotal(shown)]}>
      <div class="row">
        <SearchBox
          label="Search targets"
          placeholder="Search targets: handle, id, text, #crawl"
          given={readParameter('q')}
          onSearch={(q) => changeList({ q }, { isReplaced: true })}
        />
        <Selection label="Sort by" choices={SORT_TITLES} chosen={order.by} onChoose={order.sort} />
        {clearButton}
        {shown?.isFolded && (
          <button class="link" onClick={() => changeList({ children: '1' })}>
            Show child crawls
          </button>
        )}
        {FACTS.isWritable && (
          <a class="button" href="/crawls/new">
            New crawl
          </a>
        )}
        {shown && <ActionButtons actions={listActions(shown, query, list.repeat)} />}
      </div>
      {shown && <FacetPanel facets={shown.facets} selected={selected} />}
      {problem && <ProblemBanner title="The crawls could not be read." problem={problem} />}
      {shown && (
        <ListPanel panel={panel} items="crawls" path={ADDRESS.path} query={query} list={list}>
          {shown.rows.length > 0 ? (
            <CrawlTable caption="Crawls" rows={shown.rows} counted="own" order={order} />
          ) : shown.all === 0 ? (
            <NoCrawls />
          ) : (
            <EmptyState title="No crawl matches" action={clearButton}>
              The store has {pluralize(shown.all, 'crawl')}, none with all of these conditions.
            </EmptyState>
          )}
        </ListPanel>
      )}
    </PageFrame>
  );
}

const describeTotal = ({ total, all, isFolded }: CrawlListData): string =>
  isFolded
    ? `${pluralize(all, 'crawl')}, child crawls below their parents`
    : total === all
      ? pluralize(all, 'crawl')
      : `${formatCount(total)} of ${pluralize(all, 'crawl')}`;

/** Changes of all crawls that match. The server checks that they are still as many as the button says. */
function listActions({ unfinished, resumable, total, all }: CrawlListData, query: string, repeat: () => void) {
  const describe = (n: number, what: string): string =>
    total < all ? `${formatCount(n)} matching ${n === 1 ? 'crawl' : 'crawls'}` : `all ${pluralize(n, `${what} crawl`)}`;
  const act = (path: string, expected: number, label: string, explanation: string, done: string): ConfirmedAction => ({
    label,
    title: `${label}?`,
    explanation: <p>{explanation}</p>,
    async run() {
      const changed = await sendAction<Readonly<Record<string, number>>>(path, { query, expected });
      repeat();
      return `${pluralize(changed['cancelled'] ?? changed['resumed'] ?? 0, 'crawl')} ${done}.`;
    },
  });
  const cancel = act(
    'crawls/cancel',
    unfinished,
    `Cancel ${describe(unfinished, 'unfinished')}`,
    'Their unfinished child crawls are cancelled, too. Stored rows are kept, and crawls can be resumed.',
    'cancelled',
  );
  const resume = act(
    'crawls/resume',
    resumable,
    `Resume ${describe(resumable, 'stopped')}`,
    'They are queued again, and resume from their last page. Each page costs a request.',
    'queued',
  );
  return [...(unfinished > 0 ? [cancel] : []), ...(resumable > 0 ? [resume] : [])];
}
