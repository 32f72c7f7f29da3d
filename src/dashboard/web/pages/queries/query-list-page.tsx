import { formatCount, pluralize } from '../../../../base/text.ts';
import type { QueryLine, QueryListData } from '../../../server/api/queries.ts';
import { changeAddress } from '../../app/router.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { Panel } from '../../components/panel.tsx';
import { SearchBox } from '../../components/search-box.tsx';
import { readParameter } from '../../list/list-address.ts';
import { useData } from '../../live/use-data.ts';

/** All saved queries by topic, with a search. */
export function QueryListPage() {
  const search = readParameter('q');
  const state = useData<QueryListData>('/api/queries', false);
  const all = state.data?.queries ?? [];
  const found = all.filter((query) => matches(query, search));
  return (
    <PageFrame
      title="Queries"
      facts={[
        state.data &&
          `${search === '' ? '' : `${formatCount(found.length)} of `}${pluralize(all.length, 'saved query', 'saved queries')}`,
      ]}
    >
      <SearchBox
        label="Search queries"
        placeholder="Search questions, names and topics"
        given={search}
        onSearch={(q) => changeAddress({ q }, { isReplaced: true })}
      />
      <Loaded state={state} failure="The queries could not be read.">
        {({ problems }) => (
          <>
            {problems.length > 0 && (
              <div class="banner" role="note">
                <strong>Left out:</strong> {problems.join('\n')}
              </div>
            )}
            {found.length === 0 && (
              <EmptyState title="No query has this text" action={<a href="/queries">Show all queries</a>}>
                The search reads questions, names and topics.
              </EmptyState>
            )}
            <div class="topics">
              {[...new Set(found.map(({ topic }) => topic))].map((topic) => (
                <Topic key={topic} topic={topic} queries={found.filter((query) => query.topic === topic)} />
              ))}
            </div>
          </>
        )}
      </Loaded>
    </PageFrame>
  );
}

const matches = ({ name, title, topic }: QueryLine, search: string): boolean =>
  [name, title, topic].some((text) => text.toLowerCase().includes(search.toLowerCase()));

const Topic = ({ topic, queries }: { readonly topic: string; readonly queries: readonly QueryLine[] }) => (
  <Panel id={`topic-${topic.replaceAll(/\W+/g, '-').toLowerCase()}`} title={topic}>
    <ul class="query-list">
      {queries.map(({ name, title, isOwn }) => (
        <li key={name}>
          <a href={`/queries/${name}`}>
            <bdi>{title}</bdi>
          </a>{' '}
          <span class="muted">
            {name}
            {isOwn && ', yours'}
          </span>
        </li>
      ))}
    </ul>
  </Panel>
);
