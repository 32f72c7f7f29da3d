import { useMemo } from 'preact/hooks';
import type { NetworkAbsence, NetworkData, NetworkSuggestions } from '../../../dashboard/api/network.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ProblemBanner } from '../../components/problem-banner.tsx';
import { StoreCommand } from '../../components/store-command.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { useAnswer } from '../../live/use-answer.ts';
import {
  changeNetworkAddress,
  formatNetworkQuery,
  type NetworkAddress,
  readNetworkAddress,
} from './network-address.ts';
import { NetworkForm } from './network-form.tsx';
import { NetworkStart } from './network-start.tsx';
import { NetworkView } from './network-view.tsx';
import './network.css';

/** Who follows whom around given accounts or a panel. */
export function NetworkPage() {
  const address = readNetworkAddress();
  const query = formatNetworkQuery(address);
  // Once, and not at each change of the store: it would be laid out again.
  const answer = useAnswer<NetworkData>(query === '' ? undefined : `/api/network?${query}`);
  const { data: suggestions, problem } = useAnswer<NetworkSuggestions>('/api/network/suggestions');
  const data = answer.busySince === undefined ? answer.data : undefined;
  // The same object for the same address, so that nothing is computed again.
  const hidden = address.hidden.join();
  const stable = useMemo(() => address, [query, hidden]);
  return (
    <div class="page network-page">
      <header class="page-header">
        <h1>Network</h1>
        {data && query !== '' && (
          <p class="data-age">
            <span>
              Read <TimeAgo at={data.at} />
            </span>
            <span>
              <button class="link" onClick={answer.repeat}>
                Read again
              </button>
            </span>
          </p>
        )}
      </header>
      <NetworkForm {...{ address, suggestions, labelOf: (account) => findLabel(account, data) }} />
      {answer.problem && <ProblemBanner title="The network could not be read." problem={answer.problem} />}
      {query === '' && problem && <ProblemBanner title="The suggestions could not be read." problem={problem} />}
      {query === '' ? (
        suggestions && <NetworkStart suggestions={suggestions} />
      ) : data ? (
        data.absence ? (
          <NoNetwork absence={data.absence} address={address} />
        ) : (
          <NetworkView data={data} address={stable} />
        )
      ) : (
        !answer.problem && <p class="loading">Reading…</p>
      )}
    </div>
  );
}

/** The handle of an account that is given by its id. */
function findLabel(account: string, data: NetworkData | undefined): string {
  if (!account.startsWith('id:')) return account.startsWith('@') ? account : `@${account}`;
  return data?.given.find(({ restId }) => `id:${restId}` === account)?.label ?? account;
}

function NoNetwork({ absence, address }: { readonly absence: NetworkAbsence; readonly address: NetworkAddress }) {
  const { title, cause, command } = absence;
  return (
    <section class="panel" aria-label="No network">
      <EmptyState
        title={title}
        action={
          address.hasGiven ? (
            command !== null && <StoreCommand command={command} />
          ) : (
            <button class="button" onClick={() => changeNetworkAddress({ hasGiven: true })}>
              Show the given accounts
            </button>
          )
        }
      >
        <bdi>{cause}</bdi>
      </EmptyState>
    </section>
  );
}
