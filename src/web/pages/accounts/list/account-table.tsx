import type { AccountLine } from '../../../../dashboard/api/accounts.ts';
import { formatCount } from '../../../../text.ts';
import { TimeAgo } from '../../../components/time-ago.tsx';
import { readAccountOrder, sortAccounts } from './account-address.ts';

/** The columns: title, class, and what the title sorts by. */
const COLUMNS: readonly (readonly [title: string, className: string, sort: string | undefined])[] = [
  ['Account', '', 'handle'],
  ['Followers', 'number', 'followers'],
  ['Tweets', 'number', undefined],
  ['Last seen', 'number', 'seen'],
];

/** A page of accounts. The titles of its columns sort, but for the results of a search. */
export const AccountTable = (props: { readonly rows: readonly AccountLine[]; readonly isSearch: boolean }) => (
  <table class="account-table">
    <caption class="visually-hidden">Accounts, with the counts that the service reported last</caption>
    <thead>
      <tr>
        {COLUMNS.map(([title, className, sort]) =>
          sort === undefined || props.isSearch ? (
            <th key={title} scope="col" class={className}>
              {title}
            </th>
          ) : (
            <SortedHead key={title} title={title} className={className} sort={sort} />
          ),
        )}
      </tr>
    </thead>
    <tbody>
      {props.rows.map((row) => (
        <Row key={row.restId} row={row} />
      ))}
    </tbody>
  </table>
);

function SortedHead(props: { readonly title: string; readonly className: string; readonly sort: string }) {
  const { title, className, sort } = props;
  const order = readAccountOrder();
  const isSorted = order.sort === sort;
  // Handles begin with A, everything else with the largest value.
  const direction = (sort === 'handle') === order.isReversed ? 'descending' : 'ascending';
  return (
    <th scope="col" class={className} aria-sort={isSorted ? direction : undefined}>
      <button class={isSorted ? 'sort sorted' : 'sort'} onClick={() => sortAccounts(sort)}>
        {title}
        {isSorted && <span aria-hidden="true">{direction === 'ascending' ? ' ↑' : ' ↓'}</span>}
      </button>
    </th>
  );
}

const Row = ({ row: { restId, handle, name, followers, tweets, lastSeenAt } }: { readonly row: AccountLine }) => (
  <tr>
    <th scope="row">
      <div class="account-names">
        <a href={`/accounts/${encodeURIComponent(`id:${restId}`)}`}>
          <bdi>{handle === null ? `id:${restId}` : `@${handle}`}</bdi>
        </a>
        <bdi class="account-name">{name}</bdi>
      </div>
    </th>
    <td class="number">{followers === null ? '–' : formatCount(followers)}</td>
    <td class="number">{tweets === null ? '–' : formatCount(tweets)}</td>
    <td class="number">{lastSeenAt === null ? '–' : <TimeAgo at={lastSeenAt} />}</td>
  </tr>
);
