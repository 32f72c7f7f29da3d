import type { AccountListData } from '../../../../dashboard/api/accounts.ts';
import { formatCount } from '../../../../text.ts';
import { address } from '../../../app/router.ts';
import { readAccountOrder, showAll, sortAccounts, ACCOUNT_ORDERS, toggleKind } from './account-address.ts';

/** Which accounts are listed, with their numbers, and in which order. */
export function AccountFilter({ data: { all, collected, kinds } }: { readonly data: AccountListData }) {
  const isAll = address.value.searchParams.get('show') === 'all';
  const { sort } = readAccountOrder();
  return (
    <>
      <div class="account-tools">
        <div class="choices" role="group" aria-label="Accounts to list">
          <button aria-pressed={!isAll} onClick={() => showAll(false)}>
            Collected <span class="muted">{formatCount(collected)}</span>
          </button>
          <button aria-pressed={isAll} onClick={() => showAll(true)}>
            All <span class="muted">{formatCount(all)}</span>
          </button>
        </div>
        <label>
          Sort by{' '}
          <select
            value={sort}
            onChange={({ currentTarget: { value } }) => {
              if (value !== sort) sortAccounts(value);
            }}
          >
            {Object.entries(ACCOUNT_ORDERS).map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
      </div>
      {isAll ? (
        <p class="more">All accounts that a response showed: in lists, as authors, in replies.</p>
      ) : (
        <fieldset class="account-kinds">
          <legend>Collected accounts are those that crawls were of. Collected was:</legend>
          {kinds.map(({ kind, label, n, isSelected }) => (
            <label key={kind}>
              <input type="checkbox" checked={isSelected} onChange={() => toggleKind(kind)} />
              {label}
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
