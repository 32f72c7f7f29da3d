import { formatCount, pluralize } from '#base/text.ts';
import type { AccountLine, AccountListData } from '#dashboard/server/api/accounts.ts';
import type { PageProps } from '#dashboard/web/app/page-props.ts';
import { readParameter } from '#dashboard/web/app/router.ts';
import { AccountLink, formatHandle } from '#dashboard/web/components/account-link.tsx';
import { type Column, DataTable } from '#dashboard/web/components/data-table.tsx';
import { EmptyState } from '#dashboard/web/components/empty-state.tsx';
import { Field } from '#dashboard/web/components/form.tsx';
import { changeList, toggleValue, ListPage } from '#dashboard/web/components/list-view.tsx';
import { TimeAgo } from '#dashboard/web/components/time-ago.tsx';
import { AccountPage } from './account-page.tsx';

/** The accounts: a list, and a page for each. */
export const AccountsPage = ({ path: [account] }: PageProps) =>
  account === undefined ? <AccountListPage /> : <AccountPage key={account} account={account} />;

const ADDRESS = {
  path: '/accounts',
  filters: ['q', 'show', 'kind'],
  sorts: { stored: 'Stored last', handle: 'Handle', followers: 'Most followers', seen: 'Last seen' },
  textSort: 'handle',
};

/** The collected accounts or all. */
const AccountListPage = () => (
  <ListPage<AccountLine, AccountListData>
    title="Accounts"
    address={ADDRESS}
    searchHint="Search handles, names and biographies"
    keyOf={({ restId }) => restId}
    describeTotal={describeTotal}
    filter={({ data }) => readParameter('q') === '' && <AccountFilter data={data} />}
  >
    {({ data, order }) =>
      data.rows.length > 0 ? (
        <DataTable
          caption="Accounts, with the counts that the service reported last"
          columns={COLUMNS}
          rows={data.rows}
          keyOf={({ restId }) => restId}
          order={data.matched === null ? order : undefined}
        />
      ) : (
        <NoAccounts data={data} />
      )
    }
  </ListPage>
);

const COLUMNS: readonly Column<AccountLine>[] = [
  [
    'Account',
    (line) => <AccountLink restId={line.restId} handle={formatHandle(line)} name={line.name} />,
    'head',
    'handle',
  ],
  ['Followers', ({ followers }) => (followers === null ? '–' : formatCount(followers)), 'number', 'followers'],
  ['Tweets', ({ tweets }) => (tweets === null ? '–' : formatCount(tweets)), 'number'],
  ['Last seen', ({ lastSeenAt }) => (lastSeenAt === null ? '–' : <TimeAgo at={lastSeenAt} />), 'number', 'seen'],
];

/** Which accounts are listed, with their numbers. */
function AccountFilter({ data: { all, collected, kinds } }: { readonly data: AccountListData }) {
  const shown = readParameter('show');
  return (
    <>
      <div class="row">
        <Field
          name="show"
          label="Show"
          value={shown}
          choices={{ '': `Collected: ${formatCount(collected)}`, all: `All: ${formatCount(all)}` }}
          onChoose={(show) => changeList({ show, kind: '' })}
        />
      </div>
      {shown === 'all' ? (
        <p class="more">All accounts that a response showed: in lists, as authors, in replies.</p>
      ) : (
        <fieldset class="row">
          <legend>Targets of crawls. Show only accounts with:</legend>
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
function NoAccounts({ data: { all, total, matched } }: { readonly data: AccountListData }) {
  if (all === 0)
    return (
      <EmptyState title="No accounts" command="crawl profile @nasa">
        A crawl stores the accounts that it sees.
      </EmptyState>
    );
  const isSearch = matched !== null;
  const [title, reason] = isSearch
    ? ['No account matches', 'Accounts of a running crawl are found by a search when it ends or pauses.']
    : total > 0
      ? ['No further accounts', 'The list ends before this part.']
      : [
          'No account was collected',
          `No account was the target of such a crawl. Crawls showed ${pluralize(all, 'account')}.`,
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
