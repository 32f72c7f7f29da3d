import { useEffect, useRef, useState } from 'preact/hooks';
import type { AccountListData } from '../../../../dashboard/api/accounts.ts';
import { formatCount, pluralize } from '../../../../text.ts';
import { address } from '../../../app/router.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ProblemBanner } from '../../../components/problem-banner.tsx';
import { SearchBox } from '../../../components/search-box.tsx';
import { StoreCommand } from '../../../components/store-command.tsx';
import { changeList, readAccountQuery, showAll } from './account-address.ts';
import { AccountFilter } from './account-filter.tsx';
import { AccountTable } from './account-table.tsx';
import { useSteadyList } from './use-steady-list.ts';

/** The collected accounts or all, with a filter, an order, a search and a position, which the address has. */
export function AccountListPage() {
  const panel = useRef<HTMLElement>(null);
  const query = readAccountQuery();
  const { searchParams } = address.value;
  const [search, after] = [searchParams.get('q') ?? '', searchParams.get('after')];
  const { shown, problem, isBusy, hasMoved, showMoved, focusNext } = useSteadyList(query, panel);
  const isSearch = shown !== undefined && shown.matched !== null;
  return (
    <div class="page accounts-page">
      <header class="page-header">
        <h1>Accounts</h1>
        <p class="data-age">{shown && !isBusy && describeTotal(shown)}</p>
        <SpokenTotal query={query} text={shown && !isBusy ? describeTotal(shown) : ''} />
      </header>
      <SearchBox
        label="Search accounts"
        placeholder="Search handles, names and biographies"
        given={search}
        // The filter and the order stay in the address, for the list after the search.
        onSearch={(q) => changeList({ q }, { isReplaced: true })}
      />
      {problem && <ProblemBanner title="The accounts could not be read." problem={problem} />}
      {shown && search === '' && <AccountFilter data={shown} />}
      {shown && (
        <section
          ref={panel}
          tabIndex={-1}
          class={`panel account-list ${isBusy ? 'busy' : ''}`}
          aria-label="List of accounts"
          aria-busy={isBusy}
        >
          <div class="list-news" role="status">
            {hasMoved && (
              <button class="button" onClick={showMoved}>
                The list has changed: show it
              </button>
            )}
          </div>
          {shown.rows.length > 0 ? (
            <AccountTable rows={shown.rows} isSearch={isSearch} />
          ) : (
            <NoAccounts data={shown} isSearch={isSearch} />
          )}
        </section>
      )}
      {(after !== null || (shown?.next ?? null) !== null) && (
        <nav class="account-pages" aria-label="Parts of the list" onClick={focusNext}>
          {after !== null && <a href={hrefOf(query, null)}>First accounts</a>}
          {shown?.next != null && <a href={hrefOf(query, shown.next)}>Next accounts</a>}
        </nav>
      )}
    </div>
  );
}

function describeTotal({ matched, isBounded, rows, total, all }: AccountListData): string {
  if (matched === null)
    return total === all ? pluralize(all, 'account') : `${formatCount(total)} of ${pluralize(all, 'account')}`;
  const matches = `${isBounded ? 'At least ' : ''}${pluralize(matched, 'match', 'matches')} in all accounts`;
  return matched > rows.length ? `${matches}, the best ${formatCount(rows.length)} are shown` : matches;
}

/** Says to screen readers how many accounts another filter or search has. Numbers that change by themselves are not read out. */
function SpokenTotal({ query, text }: { readonly query: string; readonly text: string }) {
  const [spoken, setSpoken] = useState({ query, text: '' });
  useEffect(() => {
    if (text !== '' && spoken.query !== query) setSpoken({ query, text });
  }, [query, text]);
  return (
    <p class="visually-hidden" role="status">
      {spoken.text}
    </p>
  );
}

/** The address of another part of a list. */
function hrefOf(query: string, after: string | null): string {
  const parameters = new URLSearchParams(query);
  if (after === null) parameters.delete('after');
  else parameters.set('after', after);
  return `/accounts?${parameters}`;
}

/** Why there is no account, and what to do about it. */
function NoAccounts({
  data: { all, collected, total },
  isSearch,
}: {
  readonly data: AccountListData;
  readonly isSearch: boolean;
}) {
  if (isSearch)
    return (
      <EmptyState
        title="No account matches"
        action={<ListButton text="Show the list" onClick={() => changeList({ q: '' })} />}
      >
        Accounts of a running crawl are found by a search when it ends or pauses.
      </EmptyState>
    );
  if (all === 0)
    return (
      <EmptyState title="No accounts" action={<StoreCommand command="crawl profile @nasa" />}>
        A crawl stores the accounts that it sees.
      </EmptyState>
    );
  if (total > 0)
    return (
      <EmptyState
        title="No further accounts"
        action={<ListButton text="Show the first accounts" onClick={() => changeList({})} />}
      >
        The list ends before this part.
      </EmptyState>
    );
  if (collected > 0)
    return (
      <EmptyState
        title="No account matches"
        action={<ListButton text="Show all collected accounts" onClick={() => changeList({ kind: '' })} />}
      >
        {pluralize(collected, 'account was', 'accounts were')} collected, none by these kinds of crawls.
      </EmptyState>
    );
  return (
    <EmptyState
      title="No account was collected"
      action={<ListButton text="Show all accounts" onClick={() => showAll(true)} />}
    >
      Crawls were of searches, lists or tweets. They showed {pluralize(all, 'account')}.
    </EmptyState>
  );
}

const ListButton = ({ text, onClick }: { readonly text: string; readonly onClick: () => void }) => (
  <button class="button" onClick={onClick}>
    {text}
  </button>
);
