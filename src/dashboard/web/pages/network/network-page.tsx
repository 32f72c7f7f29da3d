import type { NetworkData } from '../../../server/api/network.ts';
import { readParameter, selectParameters } from '../../app/address-query.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { ProblemBanner } from '../../components/problem-banner.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { useData } from '../../live/use-data.ts';
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
