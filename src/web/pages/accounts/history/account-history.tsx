import type { AccountHistoryData } from '../../../../dashboard/api/account-history.ts';
import { ProblemBanner } from '../../../components/problem-banner.tsx';
import { useRead } from '../../../live/use-read.ts';
import { ActivityPanel } from './activity-panel.tsx';
import { EditsPanel, ProfilePanel } from './change-panels.tsx';
import { FollowerChangesPanel } from './follower-changes-panel.tsx';
import { FollowersPanel } from './followers-panel.tsx';
import { TopTweetsPanel } from './top-tweets-panel.tsx';
import './history.css';

/** The queries are several, and what they show changes with whole crawls. */
const REST_MS = 15_000;

/** How an account changed, when it writes, and its most liked tweets. It is read after the lists, which are ready sooner. */
export function AccountHistory({ restId }: { readonly restId: string }) {
  const path = `/api/accounts/id:${encodeURIComponent(restId)}/history`;
  const { data, problem } = useRead<AccountHistoryData>(path, REST_MS);
  return (
    <>
      {problem && <ProblemBanner title="The history could not be read." problem={problem} />}
      {data && <History data={data} />}
      {!data && problem === undefined && <p class="loading">Reading the history…</p>}
    </>
  );
}

const History = ({ data }: { readonly data: AccountHistoryData }) => (
  <div class="account-panels">
    <FollowersPanel followers={data.followers} />
    <FollowerChangesPanel changes={data.followerChanges} />
    <ProfilePanel profile={data.profile} />
    <EditsPanel edits={data.edits} />
    <ActivityPanel activity={data.activity} />
    <TopTweetsPanel top={data.top} />
  </div>
);
