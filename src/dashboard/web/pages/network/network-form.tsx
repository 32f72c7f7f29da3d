import type { NetworkNode, NetworkPanel } from '../../../server/api/network.ts';
import { Form, type FormValues } from '../../components/form.tsx';
import { useData } from '../../live/use-data.ts';
import { type NetworkAddress, showNetwork } from './network-address.ts';

interface FormProps {
  readonly address: NetworkAddress;
  readonly given: readonly NetworkNode[];
}

/** What the network is of: accounts, a panel, and whether their neighbours belong to it. */
export function NetworkForm({ address: { accounts, panel, hasNeighbours }, given }: FormProps) {
  const { data: panels = [] } = useData<readonly NetworkPanel[]>('/api/network/panels', false);
  const labels = new Map(given.map(({ restId, label }) => [`id:${restId}`, label]));
  const labelled = accounts.map((account) => labels.get(account) ?? account);

  function show(values: FormValues): void {
    const typed = values['accounts']!.split(',').map((text) => text.trim());
    // An account keeps its id: handles change.
    const found = typed.map((text) => accounts[labelled.indexOf(text)] ?? text);
    showNetwork({
      accounts: [...new Set(found)].filter((account) => account !== ''),
      panel: values['panel'] || null,
      hasNeighbours: values['neighbours'] !== '',
    });
  }

  const titles = panels.map(({ name, members }) => [name, `${name} (${members})`]);
  return (
    <Form
      fields={[
        {
          name: 'accounts',
          label: 'Accounts',
          value: labelled.join(', '),
          placeholder: '@handle, @handle',
          hint: 'Follows are known from collected lists only.',
        },
        ...(panels.length === 0
          ? []
          : [
              {
                name: 'panel',
                label: 'Panel',
                value: panel ?? '',
                choices: { '': 'None', ...Object.fromEntries(titles) },
              },
            ]),
        ...(accounts.length > 1 || panel !== null ? [{ ...NEIGHBOURS, value: hasNeighbours ? '1' : '' }] : []),
      ]}
      action="Show"
      isLive
      onSubmit={show}
    />
  );
}

const NEIGHBOURS = { name: 'neighbours', label: 'With neighbours', type: 'flag' } as const;
