import { formatDay } from '../../../../base/units.ts';
import type { AccountData } from '../../../server/api/accounts.ts';
import { formatHandle } from '../../components/account-link.tsx';
import { DataPage } from '../../components/loaded.tsx';
import { MissingList } from '../../components/missing-list.tsx';
import { Panel } from '../../components/panel.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatUtc } from '../../format-numbers.ts';
import { AccountQuestions } from './account-questions.tsx';
import { CoveragePanel } from './coverage-panel.tsx';

/** One account: what is stored of its lists, beside what the service reports. */
export const AccountPage = ({ account }: { readonly account: string }) => (
  <DataPage<AccountData>
    path={`/api/accounts/${encodeURIComponent(account)}`}
    failure="This account cannot be shown."
    title={(data) => <bdi>{data?.line.name ?? (data ? formatHandle(data.line) : account)}</bdi>}
    facts={listFacts}
    links={(data) => (
      <>
        <a href="/accounts">All accounts</a>
        {data && (
          <>
            <a href={`/crawls?q=${encodeURIComponent(data.line.handle ?? data.line.restId)}`}>Crawls</a>
            <a href={`/network?accounts=${encodeURIComponent(`id:${data.line.restId}`)}`}>Network</a>
          </>
        )}
      </>
    )}
  >
    {(data) => <Content data={data} />}
  </DataPage>
);

const listFacts = ({ line, line: { restId, lastSeenAt }, createdAt }: AccountData) => [
  <bdi>{formatHandle(line)}</bdi>,
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
