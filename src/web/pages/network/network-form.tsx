import type { NetworkNode, NetworkPanel } from '../../../dashboard/api/network.ts';
import { useAnswer } from '../../live/use-answer.ts';
import { changeNetworkAddress, type NetworkAddress } from './network-address.ts';

interface FormProps {
  readonly address: NetworkAddress;
  readonly given: readonly NetworkNode[];
}

/** What the network is of: accounts, a panel, and whether their neighbours belong to it. */
export function NetworkForm({ address: { accounts, panel, hasNeighbours }, given }: FormProps) {
  const { data: panels = [] } = useAnswer<readonly NetworkPanel[]>('/api/network/panels');
  const labels = new Map(given.map(({ restId, label }) => [`id:${restId}`, label]));
  const labelled = accounts.map((account) => labels.get(account) ?? account);
  const show = (event: SubmitEvent): void => {
    event.preventDefault();
    const typed = (new FormData(event.currentTarget as HTMLFormElement).get('accounts') as string).split(',');
    // An account keeps its id: handles change.
    const found = typed.map((text) => accounts[labelled.indexOf(text.trim())] ?? text.trim());
    changeNetworkAddress({ accounts: [...new Set(found)].filter((account) => account !== '') });
  };
  return (
    <form class="network-form" onSubmit={show}>
      <input
        key={labelled.join()}
        name="accounts"
        aria-label="Accounts"
        placeholder="Accounts: @handle, @handle"
        defaultValue={labelled.join(', ')}
      />
      <button class="button">Show</button>
      {panels.length > 0 && (
        <select
          aria-label="Panel"
          value={panel ?? ''}
          onChange={({ currentTarget: { value } }) => changeNetworkAddress({ panel: value || null })}
        >
          <option value="">No panel</option>
          {panels.map(({ name, members }) => (
            <option key={name} value={name}>
              Panel {name} ({members})
            </option>
          ))}
        </select>
      )}
      {(accounts.length > 1 || panel !== null) && (
        <label>
          <input
            type="checkbox"
            checked={hasNeighbours}
            onChange={() => changeNetworkAddress({ hasNeighbours: !hasNeighbours })}
          />{' '}
          With neighbours
        </label>
      )}
    </form>
  );
}
