import type { NetworkNode, NetworkPanel } from '../../../server/api/network.ts';
import { changeAddress, readParameter } from '../../app/address-query.ts';
import { Form, type FormValues } from '../../components/form.tsx';
import { useData } from '../../live/use-data.ts';

/** What the network is of, the parameters of the address: accounts, a panel, and whether their neighbours belong to it. */
export function NetworkForm({ given }: { readonly given: readonly NetworkNode[] }) {
  const { data: panels = [] } = useData<readonly NetworkPanel[]>('/api/network/panels', false);
  const panel = readParameter('panel');
  const accounts = readParameter('accounts').split(',');
  const labels = new Map(given.map(({ restId, label }) => [`id:${restId}`, label]));
  const labelled = accounts.map((account) => labels.get(account) ?? account);

  function show(values: FormValues): void {
    const typed = values['accounts']!.split(',').map((text) => text.trim());
    // An account keeps its id: handles change.
    const found = typed.map((text) => accounts[labelled.indexOf(text)] ?? text);
    changeAddress({ ...values, accounts: [...new Set(found)].filter((account) => account !== '').join() });
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
        ...(panels.length > 0
          ? [{ name: 'panel', label: 'Panel', value: panel, choices: { '': 'None', ...Object.fromEntries(titles) } }]
          : []),
        ...(accounts.length > 1 || panel !== '' ? [{ ...NEIGHBOURS, value: readParameter('depth') }] : []),
      ]}
      action="Show"
      isLive
      onSubmit={show}
    />
  );
}

const NEIGHBOURS = {
  name: 'depth',
  label: 'Neighbours',
  choices: { '': 'Included', '0': 'Only these accounts' },
};
