import { useRef } from 'preact/hooks';
import { formatCount, pluralize } from '../../../../base/text.ts';
import type { AccountLine, AccountListData } from '../../../server/api/accounts.ts';
import { Choices, Selection } from '../../components/choices.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { ProblemBanner } from '../../components/problem-banner.tsx';
import { SearchBox } from '../../components/search-box.tsx';
import { StoreCommand } from '../../components/store-command.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { changeList, readListQuery, readOrder, readParameter, toggleValue } from '../../list/list-address.ts';
import { ListPanel } from '../../list/list-panel.tsx';
import { useSteadyList } from '../../list/use-steady-list.ts';

const ADDRESS = { path: '/accounts', filters: ['q', 'show', 'kind'], normalSort: 'stored', textSort: 'handle' };
const SORT_TITLES: Readonly<Record<string, string>> = {
  stored: 'Stored last',
  handle: 'Handle',
  followers: 'Most followers',
  seen: 'Last seen',
};
const SORTS: Readonly<Record<string, string>> = { Account: 'handle', Followers: 'followers', 'Last seen': 'seen' };

/** The collected accounts or all, with a filter, an order, a search and a position, which the address has. */
export function AccountListPage() {
  const panel = useRef<HTMLElement>(null);
  const query = readListQuery(ADDRESS);
  const list = useSteadyList<AccountLine, AccountListData>('/api/accounts', query, panel, ({ restId }) => restId);
  const { shown, problem, isBusy } = list;
  const isSearch = shown !== undefined && shown.matched !== null;
  const order = readOrder(ADDRESS);
  return (
    <PageFrame title="Accounts" facts={[shown && !isBusy && describeTotal(shown)]}>
      <div class="row">
        <SearchBox
          label="Search accounts"
          placeholder="Search handles, names and biographies"
          given={readParameter('q')}
          // The filter and the order stay in the address, for the list after the search.
          onSearch={(q) => changeList({ q }, { isReplaced: true })}
        />
        <Selection label="Sort by" choices={SORT_TITLES} chosen={order.by} onChoose={order.sort} />
      </div>
      {problem && <ProblemBanner title="The accounts could not be read." problem={problem} />}
      {shown && readParameter('q') === '' && <AccountFilter data={shown} />}
      {shown && (
        <ListPanel panel={panel} items="accounts" path={ADDRESS.path} query={query} list={list}>
          {shown.rows.length > 0 ? (
            <DataTable
              caption="Accounts, with the counts that the service reported last"
              columns={COLUMNS}
              rows={shown.rows}
              keyOf={({ restId }) => restId}
              sorting={isSearch ? undefined : { order, keyOf: (title) => SORTS[title] }}
            />
          ) : (
            <NoAccounts data={shown} isSearch={isSearch} />
          )}
        </ListPanel>
      )}
    </PageFrame>
  );
}

const COLUMNS: readonly Column<AccountLine>[] = [
  [
    'Account',
    ({ restId, handle, name }) => (
      <>
        <a href={`/accounts/${encodeURIComponent(`id:${restId}`)}`}>
          <bdi>{handle === null ? `id:${restId}` : `@${handle}`}</bdi>
        </a>{' '}
        <bdi class="muted">{name}</bdi>
      </>
    ),
    'head',
  ],
  ['Followers', ({ followers }) => (followers === null ? '–' : formatCount(followers)), 'number'],
  ['Tweets', ({ tweets }) => (tweets === null ? '–' : formatCount(tweets)), 'number'],
  ['Last seen', ({ lastSeenAt }) => (lastSeenAt === null ? '–' : <TimeAgo at={lastSeenAt} />), 'number nowrap'],
];

/** Which accounts are listed, with their numbers. */
function AccountFilter({ data: { all, collected, kinds } }: { readonly data: AccountListData }) {
  const shown = readParameter('show') === 'all' ? 'all' : '';
  return (
    <>
      <div class="row">
        <Choices
          label="Accounts to list"
          choices={{ '': `Collected ${formatCount(collected)}`, all: `All ${formatCount(all)}` }}
          chosen={shown}
          onChoose={(show) => changeList({ show, kind: '' })}
        />
      </div>
      {shown === 'all' ? (
        <p class="more">All accounts that a response showed: in lists, as authors, in replies.</p>
      ) : (
        <fieldset class="row">
          <legend>Collected accounts are those that crawls were of. Collected was:</legend>
          {kinds.map(({ kind, label, n, isSelected }) => (
            <label key={kind}>
              <input type="checkbox" checked={isSelected} onChange={() => toggleValue('kind', kind)} /> {label}{' '}
              <span class="muted">
                {formatCount(n)}
                <span class="visually-hidden"> accounts</span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
    </>
  );
}

function describeTotal({ matched, isBounded, rows, total, all }: AccountListData): string {
  if (matched === null)
    return total === all ? pluralize(all, 'account') : `${formatCount(total)} of ${pluralize(all, 'account')}`;
  const matches = `${isBounded ? 'At least ' : ''}${pluralize(matched, 'match', 'matches')} in all accounts`;
  return matched > rows.length ? `${matches}, the best ${formatCount(rows.length)} are shown` : matches;
}

/** Why there is no account, and what to do about it. */
function NoAccounts({
  data: { all, total },
  isSearch,
}: {
  readonly data: AccountListData;
  readonly isSearch: boolean;
}) {
  if (all === 0)
    return (
      <EmptyState title="No accounts" action={<StoreCommand command="crawl profile @nasa" />}>
        A crawl stores the accounts that it sees.
      </EmptyState>
    );
  const [title, reason] = isSearch
    ? ['No account matches', 'Accounts of a running crawl are found by a search when it ends or pauses.']
    : total > 0
      ? ['No further accounts', 'The list ends before this part.']
      : [
          'No account was collected',
          `No crawl of these kinds was of an account. Crawls showed ${pluralize(all, 'account')}.`,
        ];
  return (
    <EmptyState
      title={title}
      action={<a href={total > 0 && !isSearch ? '/accounts' : '/accounts?show=all'}>Show accounts</a>}
    >
      {reason}
    </EmptyState>
  );
}
