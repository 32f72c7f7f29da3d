import { formatCount, pluralize } from '#base/text.ts';
import type { QueryLine, QueryListData } from '#dashboard/server/api/queries.ts';
import type { PageProps } from '#dashboard/web/app/page-props.ts';
import { changeAddress, readParameter } from '#dashboard/web/app/router.ts';
import { EmptyState } from '#dashboard/web/components/empty-state.tsx';
import { SearchBox } from '#dashboard/web/components/list-view.tsx';
import { DataPage } from '#dashboard/web/components/loaded.tsx';
import { Panel } from '#dashboard/web/components/panel.tsx';
import { QueryPage } from './query-page.tsx';

/** The saved queries: a list, and a page for each. */
export const QueriesPage = ({ path: [name] }: PageProps) =>
  name === undefined ? <QueryListPage /> : <QueryPage key={name} name={name} />;

/** All saved queries by topic, with a search. */
function QueryListPage() {
  const search = readParameter('q');
  return (
    <DataPage<QueryListData>
      path="/api/queries"
      isLive={false}
      failure="The queries could not be read."
      title={() => 'Queries'}
      facts={({ queries }) => [describeNumber(queries, search)]}
    >
      {({ problems, queries }) => (
        <>
          <SearchBox
            label="Search queries"
            placeholder="Search questions, names and topics"
            given={search}
            onSearch={(q) => changeAddress({ q }, { isReplaced: true })}
          />
          {problems.length > 0 && (
            <div class="banner" role="note">
              <strong>Left out:</strong> {problems.join('\n')}
            </div>
          )}
          <Topics queries={queries.filter((query) => matches(query, search))} />
        </>
      )}
    </DataPage>
  );
}

const describeNumber = (queries: readonly QueryLine[], search: string): string => {
  const found = queries.filter((query) => matches(query, search)).length;
  const all = pluralize(queries.length, 'saved query', 'saved queries');
  return search === '' ? all : `${formatCount(found)} of ${all}`;
};

const Topics = ({ queries }: { readonly queries: readonly QueryLine[] }) =>
  queries.length === 0 ? (
    <EmptyState title="No query has this text" action={<a href="/queries">Show all queries</a>}>
      The search reads questions, names and topics.
    </EmptyState>
  ) : (
    <div class="topics">
      {[...new Set(queries.map(({ topic }) => topic))].map((topic) => (
        <Topic key={topic} topic={topic} queries={queries.filter((query) => query.topic === topic)} />
      ))}
    </div>
  );

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
