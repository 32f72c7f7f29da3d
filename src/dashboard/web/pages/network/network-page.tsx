import type { NetworkData } from '../../../server/api/network.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { ProblemBanner } from '../../components/problem-banner.tsx';
import { StoreCommand } from '../../components/store-command.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { useData } from '../../live/use-data.ts';
import { formatNetworkQuery, readNetworkAddress } from './network-address.ts';
import { NetworkForm } from './network-form.tsx';
import { NetworkView } from './network-view.tsx';
import './network.css';

const NOTHING_GIVEN = {
  title: 'Whose network?',
  cause: 'Enter accounts or choose a panel.',
  command: 'crawl following @nasa',
};

/** Who follows whom around given accounts or a panel. */
export function NetworkPage() {
  const address = readNetworkAddress();
  const query = formatNetworkQuery(address);
  // Once, and not at each change of the store: it would be laid out again.
  const answer = useData<NetworkData>(query === '' ? undefined : `/api/network?${query}`, false);
  const { data } = answer;
  const isBusy = answer.busySince !== undefined;
  const absence = query === '' ? NOTHING_GIVEN : data?.absence;
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
      <NetworkForm address={address} given={data?.nodes.filter(({ isGiven }) => isGiven) ?? []} />
      {answer.problem && <ProblemBanner title="The network could not be read." problem={answer.problem} />}
      {isBusy && !data && <p class="loading">Reading…</p>}
      {absence && (
        <EmptyState
          title={absence.title}
          action={absence.command !== null && <StoreCommand command={absence.command} />}
        >
          {absence.cause}
        </EmptyState>
      )}
      {data && !data.absence && <NetworkView data={data} address={address} isBusy={isBusy} />}
    </PageFrame>
  );
}
