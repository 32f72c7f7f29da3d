import type { NetworkNode, NetworkPanel } from '../../../server/api/network.ts';
import { Selection } from '../../components/choices.tsx';
import { useData } from '../../live/use-data.ts';
import { changeNetwork, type NetworkAddress } from './network-address.ts';

interface FormProps {
  readonly address: NetworkAddress;
  readonly given: readonly NetworkNode[];
}

/** What the network is of: accounts, a panel, and whether their neighbours belong to it. */
export function NetworkForm({ address: { accounts, panel, hasNeighbours }, given }: FormProps) {
  const { data: panels = [] } = useData<readonly NetworkPanel[]>('/api/network/panels', false);
  const labels = new Map(given.map(({ restId, label }) => [`id:${restId}`, label]));
  const labelled = accounts.map((account) => labels.get(account) ?? account);
  const show = (event: SubmitEvent): void => {
    event.preventDefault();
    const typed = (new FormData(event.currentTarget as HTMLFormElement).get('accounts') as string).split(',');
    // An account keeps its id: handles change.
    const found = typed.map((text) => accounts[labelled.indexOf(text.trim())] ?? text.trim());
    changeNetwork({ accounts: [...new Set(found)].filter((account) => account !== '') });
  };
  return (
    <form class="row" onSubmit={show}>
      <input
        key={labelled.join()}
        name="accounts"
        aria-label="Accounts"
        placeholder="Accounts: @handle, @handle"
        defaultValue={labelled.join(', ')}
      />
      <button class="button">Show</button>
      {panels.length > 0 && (
        <Selection
          label="Panel"
          choices={{
            '': 'none',
            ...Object.fromEntries(panels.map(({ name, members }) => [name, `${name} (${members})`])),
          }}
          chosen={panel ?? ''}
          onChoose={(name) => changeNetwork({ panel: name || null })}
        />
      )}
      {(accounts.length > 1 || panel !== null) && (
        <label>
          <input
            type="checkbox"
            checked={hasNeighbours}
            onChange={() => changeNetwork({ hasNeighbours: !hasNeighbours })}
          />{' '}
          With neighbours
        </label>
      )}
    </form>
  );
}
