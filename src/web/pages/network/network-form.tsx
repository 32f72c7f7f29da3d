import { useEffect, useId, useState } from 'preact/hooks';
import type { AccountListData } from '../../../dashboard/api/accounts.ts';
import type { NetworkSuggestions } from '../../../dashboard/api/network.ts';
import { requestJson } from '../../live/request-json.ts';
import { changeNetworkAddress, type NetworkAddress } from './network-address.ts';

interface FormProps {
  readonly address: NetworkAddress;
  readonly suggestions: NetworkSuggestions | undefined;
  /** The label of each given account. */
  readonly labelOf: (account: string) => string;
}

/** What the network is of: accounts, a panel, and whether their neighbours belong to it. */
export const NetworkForm = ({ address, suggestions, labelOf }: FormProps) => (
  <div class="network-form">
    <AccountBox accounts={address.accounts} />
    {(suggestions?.panels.length ?? 0) > 0 && (
      <label>
        <span class="visually-hidden">Panel</span>
        <select
          value={address.panel ?? ''}
          onChange={({ currentTarget: { value } }) => changeNetworkAddress({ panel: value || null, hidden: [] })}
        >
          <option value="">No panel</option>
          {suggestions!.panels.map(({ name, members }) => (
            <option key={name} value={name}>
              Panel {name} ({members})
            </option>
          ))}
        </select>
      </label>
    )}
    {(address.accounts.length > 1 || address.panel !== null) && <DepthChoice address={address} />}
    {address.accounts.length > 0 && (
      <ul class="chips" aria-label="Given accounts">
        {address.accounts.map((account) => (
          <li key={account}>
            <bdi class="clamp">{labelOf(account)}</bdi>
            <button
              type="button"
              aria-label={`Remove ${labelOf(account)}`}
              onClick={() =>
                changeNetworkAddress({ accounts: address.accounts.filter((one) => one !== account), hidden: [] })
              }
            >
              ×
            </button>
          </li>
        ))}
      </ul>
    )}
  </div>
);

const DepthChoice = ({ address: { hasNeighbours } }: Pick<FormProps, 'address'>) => (
  <div class="choices" role="group" aria-label="Accounts of the network">
    {(
      [
        ['With neighbours', true],
        ['Among them', false],
      ] as const
    ).map(([title, value]) => (
      <button
        key={title}
        type="button"
        aria-pressed={hasNeighbours === value}
        onClick={() => changeNetworkAddress({ hasNeighbours: value, hidden: [] })}
      >
        {title}
      </button>
    ))}
  </div>
);

const TYPING_MS = 200;

/** Adds an account, with suggestions while the user types. */
function AccountBox({ accounts }: { readonly accounts: readonly string[] }) {
  const [text, setText] = useState('');
  const [found, setFound] = useState<AccountListData['rows']>([]);
  const list = useId();
  const search = text.trim();
  useEffect(() => {
    if (search.length < 2) return setFound([]);
    const aborted = new AbortController();
    const timer = setTimeout(() => {
      requestJson<AccountListData>(`/api/accounts?q=${encodeURIComponent(search)}`, aborted).then(
        ({ rows }) => setFound(rows.slice(0, 10)),
        () => undefined,
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      aborted.abort();
    };
  }, [search]);
  const add = (event: SubmitEvent): void => {
    event.preventDefault();
    const name = search.replace(/^@/, '');
    if (name === '') return;
    setText('');
    // By id, if it is known: handles change.
    const known = found.find(({ handle }) => handle?.toLowerCase() === name.toLowerCase());
    const account = known ? `id:${known.restId}` : name;
    if (!accounts.includes(account)) changeNetworkAddress({ accounts: [...accounts, account], hidden: [] });
  };
  return (
    <form class="account-box" onSubmit={add}>
      <label>
        <span class="visually-hidden">Account</span>
        <input
          list={list}
          placeholder="Add an account: @handle"
          autoComplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <datalist id={list}>
        {found.flatMap(({ restId, handle, name }) =>
          handle === null
            ? []
            : [
                <option key={restId} value={`@${handle}`}>
                  {name}
                </option>,
              ],
        )}
      </datalist>
      <button class="button" disabled={search === ''}>
        Add
      </button>
    </form>
  );
}
