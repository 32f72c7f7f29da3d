import type { NetworkData, NetworkNode, NetworkPanel } from '#dashboard/server/api/network.ts';
import { readParameter, selectParameters, changeAddress } from '#dashboard/web/app/router.ts';
import { EmptyState } from '#dashboard/web/components/empty-state.tsx';
import { Form, type FormValues } from '#dashboard/web/components/form.tsx';
import { PageFrame, ProblemBanner } from '#dashboard/web/components/page-frame.tsx';
import { TimeAgo } from '#dashboard/web/components/time-ago.tsx';
import { useData } from '#dashboard/web/live/use-data.ts';
import './network.css';
import { NetworkView } from './network-view.tsx';

const NOTHING_GIVEN = {
  title: 'Whose network?',
  cause: 'Enter accounts or choose a panel.',
  command: 'crawl following @nasa',
};

/** Who follows whom around given accounts or a panel. */
export function NetworkPage() {
  const query = selectParameters(['accounts', 'panel', 'depth']);
  // Once, and not at each change of the store: it would be laid out again.
  const isGiven = readParameter('accounts') + readParameter('panel') !== '';
  const answer = useData<NetworkData>(isGiven ? `/api/network?${query}` : undefined, false);
  const { data } = answer;
  const isBusy = answer.busySince !== undefined;
  const absence = isGiven ? data?.absence : NOTHING_GIVEN;
  return (
    <PageFrame
      title="Network"
      facts={
        data && [
          <>
            Read <TimeAgo at={data.at} />
          </>,
          <button class="link" onClick={answer.repeat}>
            Read again
          </button>,
        ]
      }
    >
      <NetworkForm given={data?.nodes.filter(({ isGiven }) => isGiven) ?? []} />
      {answer.problem && <ProblemBanner title="The network could not be read." problem={answer.problem} />}
      {isBusy && !data && <p class="loading">Reading…</p>}
      {absence && (
        <EmptyState title={absence.title} command={absence.command}>
          {absence.cause}
        </EmptyState>
      )}
      {data && !data.absence && <NetworkView data={data} query={query} isBusy={isBusy} />}
    </PageFrame>
  );
}

/** What the network is of, the parameters of the address: accounts, a panel, and whether their neighbours belong to it. */
function NetworkForm({ given }: { readonly given: readonly NetworkNode[] }) {
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
