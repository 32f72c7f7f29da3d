import type { AccountData } from '../../../dashboard/api/accounts.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ProblemBanner } from '../../components/problem-banner.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatUtc } from '../../format.ts';
import { describeProblem } from '../../live/request-json.ts';
import { useRead } from '../../live/use-read.ts';
import { AccountHistory } from './history/account-history.tsx';
import { MissingParts } from './history/missing-parts.tsx';
import { ListPanel } from './list-panel.tsx';

/** One account: what is stored of its lists, beside what the service reports. */
export function AccountPage({ account }: { readonly account: string }) {
  const { data, problem } = useRead<AccountData>(`/api/accounts/${encodeURIComponent(account)}`);
  return (
    <div class="page account-page">
      {data && problem && <ProblemBanner title="The account could not be read again." problem={problem} />}
      {data ? (
        <Content data={data} />
      ) : problem === undefined ? (
        <p class="loading">Reading…</p>
      ) : (
        <>
          <h1>Account</h1>
          <EmptyState title="This account cannot be shown" action={<a href="/accounts">Open the list of accounts</a>}>
            <bdi>{account}</bdi>: {describeProblem(problem)}
          </EmptyState>
        </>
      )}
    </div>
  );
}

function Content({ data: { line, createdAt, unavailableAt, lists, deletions } }: { readonly data: AccountData }) {
  const handle = line.handle === null ? `id:${line.restId}` : `@${line.handle}`;
  return (
    <>
      <header class="page-header">
        <h1>
          <bdi>{line.name ?? handle}</bdi>
        </h1>
        <p class="data-age">
          <span>
            <bdi>{handle}</bdi>
          </span>
          <span>id {line.restId}</span>
          {createdAt !== null && <span>Created {formatUtc(createdAt).slice(0, 10)}</span>}
          {line.lastSeenAt !== null && (
            <span>
              Last seen <TimeAgo at={line.lastSeenAt} />
            </span>
          )}
        </p>
      </header>
      <nav class="account-pages" aria-label="Related pages">
        <a href="/accounts">All accounts</a>
        <a href={`/crawls?q=${encodeURIComponent(line.handle ?? line.restId)}`}>Crawls</a>
        <a href={`/network?accounts=${encodeURIComponent(`id:${line.restId}`)}`}>Network</a>
      </nav>
      {unavailableAt !== null && (
        <p class="banner">
          Not available: the service answered on {formatUtc(unavailableAt)} that it does not have this account.
        </p>
      )}
      <div class="account-panels">
        {lists.map((list) => (
          <ListPanel key={list.kind} list={list} restId={line.restId} />
        ))}
      </div>
      <MissingParts missing={[deletions]} />
      <AccountHistory restId={line.restId} />
    </>
  );
}
