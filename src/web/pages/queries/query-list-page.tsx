import { useEffect, useState } from 'preact/hooks';
import type { QueryLine, QueryListData } from '../../../dashboard/api/queries.ts';
import { formatCount, pluralize } from '../../../text.ts';
import { address, navigate } from '../../app/router.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Panel } from '../../components/panel.tsx';
import { ProblemBanner } from '../../components/problem-banner.tsx';
import { useAnswer } from '../../live/use-answer.ts';

/** All saved queries by topic, with a search. */
export function QueryListPage() {
  const search = address.value.searchParams.get('q') ?? '';
  const { data, problem } = useAnswer<QueryListData>('/api/queries');
  const found = data?.queries.filter((query) => matches(query, search)) ?? [];
  return (
    <div class="page queries-page">
      <header class="page-header">
        <h1>Queries</h1>
        <p class="data-age" role="status">
          {data &&
            (search === ''
              ? pluralize(found.length, 'saved query', 'saved queries')
              : `${formatCount(found.length)} of ${pluralize(data.queries.length, 'saved query', 'saved queries')}`)}
        </p>
      </header>
      <QuerySearch given={search} />
      {problem && <ProblemBanner title="The queries could not be read." problem={problem} />}
      {data && data.problems.length > 0 && (
        <div class="banner" role="note">
          <strong>Left out:</strong> {data.problems.join('\n')}
        </div>
      )}
      {data && found.length === 0 && (
        <EmptyState title="No query has this text" action={<a href="/queries">Show all queries</a>}>
          The search reads questions, names and topics.
        </EmptyState>
      )}
      <div class="query-topics">
        {[...new Set(found.map(({ topic }) => topic))].map((topic) => (
          <Topic key={topic} topic={topic} queries={found.filter((query) => query.topic === topic)} />
        ))}
      </div>
    </div>
  );
}

const matches = ({ name, title, topic }: QueryLine, search: string): boolean =>
  [name, title, topic].some((text) => text.toLowerCase().includes(search.trim().toLowerCase()));

const Topic = ({ topic, queries }: { readonly topic: string; readonly queries: readonly QueryLine[] }) => (
  <Panel id={`topic-${topic.replaceAll(/\W+/g, '-').toLowerCase()}`} title={topic}>
    <ul class="query-list">
      {queries.map(({ name, title, isOwn }) => (
        <li key={name}>
          <a href={`/queries/${name}`}>
            <bdi>{title}</bdi>
          </a>
          <span class="query-name">
            {name}
            {isOwn && <span class="own-query">yours</span>}
          </span>
        </li>
      ))}
    </ul>
  </Panel>
);

/** Searches while the user types. */
function QuerySearch({ given }: { readonly given: string }) {
  const [text, setText] = useState(given);
  useEffect(() => setText((typed) => (typed.trim() === given ? typed : given)), [given]);
  function search(typed: string): void {
    setText(typed);
    const query = typed.trim();
    navigate(query === '' ? '/queries' : `/queries?q=${encodeURIComponent(query)}`, { isReplaced: true });
  }
  return (
    <label class="query-search">
      <span class="visually-hidden">Search queries</span>
      <input
        type="search"
        placeholder="Search questions, names and topics"
        value={text}
        onInput={({ currentTarget }) => search(currentTarget.value)}
      />
    </label>
  );
}
