import { formatDay } from '../../../../base/units.ts';
import type { AccountData } from '../../../server/api/accounts.ts';
import { Loaded } from '../../components/loaded.tsx';
import { MissingList } from '../../components/missing-list.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { Panel } from '../../components/panel.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatUtc } from '../../format-numbers.ts';
import { useData } from '../../live/use-data.ts';
import { AccountQuestions } from './account-questions.tsx';
import { CoveragePanel } from './coverage-panel.tsx';

/** One account: what is stored of its lists, beside what the service reports. */
export function AccountPage({ account }: { readonly account: string }) {
  const state = useData<AccountData>(`/api/accounts/${encodeURIComponent(account)}`);
  const line = state.data?.line;
  const handle = line && (line.handle === null ? `id:${line.restId}` : `@${line.handle}`);
  return (
    <PageFrame
      title={<bdi>{line?.name ?? handle ?? account}</bdi>}
      facts={state.data && [<bdi>{handle}</bdi>, ...listFacts(state.data)]}
      links={
        <>
          <a href="/accounts">All accounts</a>
          {line && (
            <>
              <a href={`/crawls?q=${encodeURIComponent(line.handle ?? line.restId)}`}>Crawls</a>
              <a href={`/network?accounts=${encodeURIComponent(`id:${line.restId}`)}`}>Network</a>
            </>
          )}
        </>
      }
    >
      <Loaded state={state} failure="This account could not be read.">
        {(data) => <Content data={data} />}
      </Loaded>
    </PageFrame>
  );
}

const listFacts = ({ line: { restId, lastSeenAt }, createdAt }: AccountData) => [
  `id ${restId}`,
  createdAt !== null && `Created ${formatDay(createdAt)}`,
  lastSeenAt !== null && (
    <>
      Last seen <TimeAgo at={lastSeenAt} />
    </>
  ),
];

const Content = ({ data: { line, unavailableAt, lists, deletions } }: { readonly data: AccountData }) => (
  <>
    {unavailableAt !== null && (
      <p class="banner">
        Not available: the service answered on {formatUtc(unavailableAt)} that it does not have this account.
      </p>
    )}
    <div class="columns">
      {lists.map((list) => (
        <CoveragePanel key={list.kind} list={list} restId={line.restId} />
      ))}
    </div>
    <Panel id="deletions" title="Deleted tweets">
      <MissingList missing={[deletions]} />
    </Panel>
    <AccountQuestions restId={line.restId} />
  </>
);
