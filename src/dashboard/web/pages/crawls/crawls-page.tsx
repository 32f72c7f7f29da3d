import { formatCount, pluralize, capitalise } from '#base/text.ts';
import type { CrawlListData, FacetData } from '#dashboard/server/api/crawls.ts';
import type { CrawlLine } from '#dashboard/server/api/overview.ts';
import { FACTS } from '#dashboard/web/app/facts.ts';
import type { PageProps } from '#dashboard/web/app/page-props.ts';
import { ActionButtons, type ConfirmedAction } from '#dashboard/web/components/action-buttons.tsx';
import { CrawlTable } from '#dashboard/web/components/crawl-table.tsx';
import { EmptyState, NoCrawls } from '#dashboard/web/components/empty-state.tsx';
import { changeList, toggleValue, ListPage, type ShownList } from '#dashboard/web/components/list-view.tsx';
import { sendAction } from '#dashboard/web/live/send-action.ts';
import { CrawlPage } from './crawl-page.tsx';
import { NewCrawlPage } from './new-crawl-page.tsx';

/** The crawls: a list, a page for each, and the form of new ones. */
export function CrawlsPage({ path: [id] }: PageProps) {
  if (id === undefined) return <CrawlListPage />;
  return id === 'new' ? <NewCrawlPage /> : <CrawlPage key={id} id={id} />;
}

const ADDRESS = {
  path: '/crawls',
  filters: ['q', 'state', 'kind', 'reason', 'priority', 'job', 'run', 'children'],
  sorts: {
    id: 'Newest',
    started: 'Last started',
    duration: 'Longest',
    pages: 'Most pages',
    requests: 'Most requests',
    target: 'Target',
  },
  textSort: 'target',
};

/** All crawls. */
const CrawlListPage = () => (
  <ListPage<CrawlLine, CrawlListData>
    title="Crawls"
    address={ADDRESS}
    searchHint="Search targets: handle, id, text, #crawl"
    keyOf={({ id }) => id}
    describeTotal={describeTotal}
    actions={(list) => <Actions list={list} />}
    filter={({ data, selected }) => <FacetPanel facets={data.facets} selected={selected} />}
  >
    {({ data: { rows, all }, order, clearButton }) =>
      rows.length > 0 ? (
        <CrawlTable caption="Crawls" rows={rows} counted="own" order={order} />
      ) : all === 0 ? (
        <NoCrawls />
      ) : (
        <EmptyState title="No crawl matches" action={clearButton}>
          The store has {pluralize(all, 'crawl')}, none with all of these conditions.
        </EmptyState>
      )
    }
  </ListPage>
);

const Actions = ({ list }: { readonly list: ShownList<CrawlListData> }) => (
  <>
    {list.data.isFolded && (
      <button class="link" onClick={() => changeList({ children: '1' })}>
        Show child crawls
      </button>
    )}
    {FACTS.isWritable && (
      <a class="button" href="/crawls/new">
        New crawl
      </a>
    )}
    <ActionButtons actions={listActions(list)} />
  </>
);

const describeTotal = ({ total, all, isFolded }: CrawlListData): string =>
  isFolded
    ? `${pluralize(all, 'crawl')}, child crawls below their parents`
    : total === all
      ? pluralize(all, 'crawl')
      : `${formatCount(total)} of ${pluralize(all, 'crawl')}`;

/** Changes of all crawls that match. The server checks that they are still as many as the button says. */
function listActions({ data: { unfinished, resumable, total, all }, query, repeat }: ShownList<CrawlListData>) {
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

/** The conditions of the list, with the number of crawls beside each. */
const FacetPanel = ({ facets, selected }: { readonly facets: readonly FacetData[]; readonly selected: number }) => (
  <details class="facets">
    <summary>Filter{selected > 0 && ` (${selected})`}</summary>
    {facets
      .filter(({ values }) => values.length > 0)
      .map(({ name, values }) => (
        <fieldset key={name}>
          <legend>{capitalise(name)}</legend>
          {values.map(({ value, label, n, isSelected }) => (
            <label key={value} class={n === 0 ? 'muted' : ''}>
              <input type="checkbox" checked={isSelected} onChange={() => toggleValue(name, value)} />{' '}
              <bdi>{label}</bdi>{' '}
              <span class="muted">
                {formatCount(n)}
                <span class="visually-hidden"> crawls</span>
              </span>
            </label>
          ))}
        </fieldset>
      ))}
  </details>
);
