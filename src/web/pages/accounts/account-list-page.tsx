import { useEffect, useState } from 'preact/hooks';
import type { AccountLine, AccountListData } from '../../../dashboard/api/accounts.ts';
import { formatCount, pluralize } from '../../../text.ts';
import { address, navigate } from '../../app/router.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { StoreCommand } from '../../components/store-command.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { useRead } from '../../live/use-read.ts';

/** All accounts that the store knows, with a search and a position, which the address has. */
export function AccountListPage() {
  const { searchParams } = address.value;
  const [search, after] = [searchParams.get('q') ?? '', searchParams.get('after')];
  const { data, problem } = useRead<AccountListData>(`/api/accounts${address.value.search}`);
  return (
    <div class="page accounts-page">
      <header class="page-header">
        <h1>Accounts</h1>
        <p class="data-age" role="status">
          {data && describeTotal(data)}
        </p>
      </header>
      <SearchBox given={search} />
      {problem !== undefined && (
        <div class="banner error" role="alert">
          <strong>The accounts could not be read.</strong> {problem}
        </div>
      )}
      {data && (
        <section class="panel" aria-label="List of accounts">
          {data.rows.length > 0 ? <AccountRows rows={data.rows} /> : <NoAccounts isSearch={search !== ''} />}
        </section>
      )}
      {(after !== null || (data?.next ?? null) !== null) && (
        <nav class="account-pages" aria-label="Parts of the list">
          {after !== null && <a href="/accounts">First accounts</a>}
          {data?.next != null && <a href={`/accounts?after=${data.next}`}>Next accounts</a>}
        </nav>
      )}
    </div>
  );
}

function describeTotal({ matched, isBounded, rows }: AccountListData): string {
  if (matched === null) return 'Those stored last first';
  const total = `${isBounded ? 'At least ' : ''}${pluralize(matched, 'match', 'matches')}`;
  return matched > rows.length ? `${total}, the best ${formatCount(rows.length)} are shown` : total;
}

const TYPING_MS = 250;

/** Searches while the user types. */
function SearchBox({ given }: { readonly given: string }) {
  const [text, setText] = useState(given);
  // Another address, such as that of an earlier page.
  useEffect(() => setText((typed) => (typed.trim() === given ? typed : given)), [given]);
  useEffect(() => {
    const search = text.trim();
    if (search === given) return undefined;
    const show = (): void =>
      navigate(search === '' ? '/accounts' : `/accounts?q=${encodeURIComponent(search)}`, { isReplaced: true });
    const timer = setTimeout(show, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <label class="account-search">
      <span class="visually-hidden">Search accounts</span>
      <input
        type="search"
        placeholder="Search handles, names and biographies"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </label>
  );
}

const AccountRows = ({ rows }: { readonly rows: readonly AccountLine[] }) => (
  <table class="account-table">
    <caption class="visually-hidden">Accounts, with the counts that the service reported last</caption>
    <thead>
      <tr>
        <th scope="col">Account</th>
        <th scope="col" class="number">
          Followers
        </th>
        <th scope="col" class="number">
          Tweets
        </th>
        <th scope="col" class="number">
          Last seen
        </th>
      </tr>
    </thead>
    <tbody>
      {rows.map(({ restId, handle, name, followers, tweets, lastSeenAt }) => (
        <tr key={restId}>
          <th scope="row">
            <a href={`/accounts/${encodeURIComponent(`id:${restId}`)}`}>
              <bdi>{handle === null ? `id:${restId}` : `@${handle}`}</bdi>
            </a>
            <bdi class="account-name">{name}</bdi>
          </th>
          <td class="number">{followers === null ? '–' : formatCount(followers)}</td>
          <td class="number">{tweets === null ? '–' : formatCount(tweets)}</td>
          <td class="number">{lastSeenAt === null ? '–' : <TimeAgo at={lastSeenAt} />}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

const NoAccounts = ({ isSearch }: { readonly isSearch: boolean }) =>
  isSearch ? (
    <EmptyState title="No account matches" action={<a href="/accounts">Show all accounts</a>}>
      Accounts of a running crawl are found by a search when it ends or pauses.
    </EmptyState>
  ) : (
    <EmptyState title="No accounts" action={<StoreCommand command="crawl profile @nasa" />}>
      A crawl stores the accounts that it sees.
    </EmptyState>
  );
