import type { ComponentChildren } from 'preact';
import { toSentence, pluralize } from '#base/text.ts';
import { formatDay } from '#base/units.ts';
import type { FindData, FindNote, FoundAccountData, FoundTweetData, MarkedText } from '#dashboard/server/api/find.ts';
import { hrefOf, readParameter, selectParameters, changeAddress } from '#dashboard/web/app/router.ts';
import { AccountLink, formatHandle } from '#dashboard/web/components/account-link.tsx';
import { EmptyState } from '#dashboard/web/components/empty-state.tsx';
import { Form, type FormValues } from '#dashboard/web/components/form.tsx';
import { PageFrame, ProblemBanner } from '#dashboard/web/components/page-frame.tsx';
import { TimeAgo } from '#dashboard/web/components/time-ago.tsx';
import { formatUtc } from '#dashboard/web/format-numbers.ts';
import { useData } from '#dashboard/web/live/use-data.ts';

/** Searches the stored tweets or accounts. The address has the search; a search is made once, and does not change by itself. */
export function FindPage() {
  const query = selectParameters(['q', 'in', 'sort', 'limit', 'deleted']);
  const path = readParameter('q') === '' ? undefined : `/api/find?${query}`;
  const { data, problem, busySince, repeat } = useData<FindData>(path, false);
  const isBusy = busySince !== undefined;
  return (
    <PageFrame title="Find" facts={isBusy ? ['Searching…'] : data && listFacts(data)}>
      <FindForm terms={data?.terms} onRepeat={repeat} />
      {problem && <ProblemBanner title="This was not searched." problem={problem} />}
      {data && <Answer data={data} isBusy={isBusy} />}
      {path === undefined && (
        <EmptyState title="Search what was collected">
          All words have to match, unless OR is between them; -word excludes one. Nothing is fetched: the database
          contains only crawled data.
        </EmptyState>
      )}
    </PageFrame>
  );
}

const hasResults = ({ tweets, accounts }: FindData): boolean => tweets.length + accounts.length > 0;

const listFacts = (data: FindData) => [
  hasResults(data) ? <Note note={data.notes[0]!} /> : 'No results',
  <>
    Searched <TimeAgo at={data.at} />
  </>,
];

function Answer({ data, isBusy }: { readonly data: FindData; readonly isBusy: boolean }) {
  const { tweets, accounts, notes, command } = data;
  // The first note is the size of the answer, which the title has beside it.
  const reason = hasResults(data) ? undefined : (notes.find((note) => note.command !== null) ?? notes[0]);
  const others = reason ? notes.filter((note) => note !== reason) : notes.slice(1);
  return (
    <section class={`panel ${isBusy ? 'busy' : ''}`} aria-busy={isBusy} aria-label="Results">
      {others.length > 0 && (
        <ul class="muted" aria-label="About these results">
          {others.map((note) => (
            <li key={note.text}>
              <Note note={note} />
            </li>
          ))}
        </ul>
      )}
      {tweets.length > 0 && <FoundTweets tweets={tweets} />}
      {accounts.length > 0 && <FoundAccounts accounts={accounts} />}
      {reason && (
        // Data that was not collected and data that does not match are two things.
        <EmptyState title={reason.command ? 'Not collected' : 'No results'} action={<Remedy note={reason} />}>
          <bdi>{toSentence(reason.text)}</bdi>.
        </EmptyState>
      )}
      <p class="more">
        The same in a terminal: <code>{command}</code>. With <code>-o found.csv</code>, it writes all results to a file.
      </p>
    </section>
  );
}

const Note = ({ note }: { readonly note: FindNote }) => (
  <>
    <bdi>{toSentence(note.text)}</bdi> <Remedy note={note} />
  </>
);

/** The limits of the server. */
const [DEFAULT_LIMIT, MAX_LIMIT] = [50, 500];

/** What shows or collects more. */
function Remedy({ note: { option, command } }: { readonly note: FindNote }) {
  const limit = Number(readParameter('limit') || DEFAULT_LIMIT);
  if (command)
    return (
      <>
        <code>{command.line}</code> {command.result}
      </>
    );
  if (option === 'includeDeleted') return <a href={hrefOf({ deleted: '1' })}>Include them</a>;
  const next = Math.min(2 * limit, MAX_LIMIT);
  return option === 'limit' && limit < MAX_LIMIT ? <a href={hrefOf({ limit: String(next) })}>Show {next}</a> : null;
}

/** Found tweets, best first. */
const FoundTweets = ({ tweets }: { readonly tweets: readonly FoundTweetData[] }) => (
  <ol class="rows">
    {tweets.map(({ restId, author, createdAt, state, text, likes, retweets, replies }) => (
      <Item
        key={restId}
        restId={author?.restId}
        handle={author && formatHandle(author)}
        name={author?.name}
        state={state}
        text={text}
        facts={[
          createdAt !== null && formatUtc(createdAt),
          likes !== null && pluralize(likes, 'like'),
          retweets !== null && pluralize(retweets, 'retweet'),
          replies !== null && pluralize(replies, 'reply', 'replies'),
          `id ${restId}`,
          <a href={`/queries/conversation?tweet=${encodeURIComponent(restId)}`}>Conversation</a>,
        ]}
      />
    ))}
  </ol>
);

/** Found accounts, best first. */
const FoundAccounts = ({ accounts }: { readonly accounts: readonly FoundAccountData[] }) => (
  <ol class="rows">
    {accounts.map(({ restId, handle, name, state, biography, followers, tweets, createdAt }) => (
      <Item
        key={restId}
        restId={restId}
        handle={handle.length === 0 ? `id:${restId}` : <Marked text={[{ text: '@', isMatch: false }, ...handle]} />}
        name={<Marked text={name} />}
        state={state}
        text={biography}
        facts={[
          followers !== null && pluralize(followers, 'follower'),
          tweets !== null && pluralize(tweets, 'tweet'),
          createdAt !== null && `since ${formatDay(createdAt)}`,
          `id ${restId}`,
        ]}
      />
    ))}
  </ol>
);

/** Why a result is left out unless it is asked for. */
const STATES = { deleted: 'Deleted', account_unavailable: 'Account unavailable' } as const;

/** A result: the account, a text whose matching parts are marked, and facts. */
const Item = (props: {
  readonly restId: string | undefined;
  readonly handle: ComponentChildren;
  readonly name: ComponentChildren;
  readonly state: FoundTweetData['state'];
  readonly text: MarkedText;
  readonly facts: readonly ComponentChildren[];
}) => (
  <li>
    <p class="row">
      {props.restId === undefined ? (
        <span class="muted">Unknown account</span>
      ) : (
        <AccountLink restId={props.restId} handle={props.handle} name={props.name} />
      )}
      {props.state !== null && <strong class="warn">{STATES[props.state]}</strong>}
    </p>
    <p dir="auto">
      <Marked text={props.text} />
    </p>
    <p class="row muted">{props.facts.map((fact, i) => fact !== false && <span key={i}>{fact}</span>)}</p>
  </li>
);

/** The server sends parts of a text and no markup. */
const Marked = ({ text }: { readonly text: MarkedText }) => (
  <>{text.map((part, i) => (part.isMatch ? <mark key={i}>{part.text}</mark> : part.text))}</>
);

const EXAMPLES = {
  tweets: ['coffee paris', '"a phrase"', 'from:nasa', '@nasa', '#tag', 'since:2025-01-31', 'until:2025-02-01'],
  accounts: ['journalist berlin', '"a phrase"', '@nasa'],
} as const;
const ORDERS = {
  tweets: { '': 'Relevance', newest: 'Newest', oldest: 'Oldest', likes: 'Likes' },
  accounts: { '': 'Relevance', followers: 'Followers', newest: 'Newest', oldest: 'Oldest' },
} as const;

/** The search, what is searched, and the order: the parameters of the address. Choices apply at once. */
const FindForm = (props: {
  /** How the search was read. */
  readonly terms: FindData['terms'] | undefined;
  /** Makes the search of the address again. */
  readonly onRepeat: () => void;
}) => {
  const { terms, onRepeat } = props;
  const searched = readParameter('in');
  const items = searched === 'accounts' ? searched : 'tweets';
  function search(values: FormValues): void {
    const sort = values['in'] === searched ? values['sort']! : '';
    const changes = { ...values, q: values['q']!.trim(), sort, limit: '' };
    if (hrefOf(changes) === hrefOf({ limit: '' })) onRepeat();
    else changeAddress(changes);
  }
  return (
    <Form
      action="Find"
      isLive
      fields={[
        {
          name: 'q',
          label: `Search stored ${items}`,
          value: readParameter('q'),
          type: 'search',
          hint: terms ? <SearchTerms terms={terms} /> : <Examples texts={EXAMPLES[items]} />,
        },
        { name: 'in', label: 'Search in', value: searched, choices: { '': 'Tweets', accounts: 'Accounts' } },
        { name: 'sort', label: 'Sort by', value: readParameter('sort'), choices: ORDERS[items] },
        {
          name: 'deleted',
          label: items === 'accounts' ? 'Include unavailable accounts' : 'Include deleted tweets',
          value: readParameter('deleted'),
          type: 'flag',
        },
      ]}
      onSubmit={search}
    />
  );
};

const Examples = ({ texts }: { readonly texts: readonly string[] }) => (
  <p class="row">
    For example{' '}
    {texts.map((text) => (
      <code key={text}>{text}</code>
    ))}
  </p>
);

/** How the search was read, term by term, with what is wrong with one of them. */
const SearchTerms = ({ terms }: Pick<FindData, 'terms'>) => (
  <ul class="row" aria-label="The search was read as">
    {terms.map(({ text, meaning, problem }, i) => (
      <li key={i}>
        <code>
          <bdi>{text}</bdi>
        </code>{' '}
        <bdi class={problem === null ? 'muted' : 'warn'}>
          {problem === null ? meaning : problem.replace(`${text} is`, 'is')}
        </bdi>
      </li>
    ))}
  </ul>
);
