import type { AccountHistoryData } from '../../../../dashboard/api/account-history.ts';
import { useRead } from '../../../live/use-read.ts';
import { ActivityPanel } from './activity-panel.tsx';
import { EditsPanel, ProfilePanel } from './change-panels.tsx';
import { FollowerChangesPanel } from './follower-changes-panel.tsx';
import { FollowersPanel } from './followers-panel.tsx';
import { TopTweetsPanel } from './top-tweets-panel.tsx';
import './history.css';

/** How an account changed, when it writes, and its most liked tweets. It is read after the lists, which are ready sooner. */
export function AccountHistory({ restId }: { readonly restId: string }) {
  const { data, problem } = useRead<AccountHistoryData>(`/api/accounts/id:${encodeURIComponent(restId)}/history`);
  if (problem !== undefined)
    return (
      <div class="banner error" role="alert">
        <strong>The history could not be read.</strong> {problem}
      </div>
    );
  if (!data) return <p class="loading">Reading the history…</p>;
  return (
    <div class="account-panels">
      <FollowersPanel followers={data.followers} />
      <FollowerChangesPanel changes={data.followerChanges} />
      <ProfilePanel profile={data.profile} />
      <EditsPanel edits={data.edits} />
      <ActivityPanel activity={data.activity} />
      <TopTweetsPanel top={data.top} />
    </div>
  );
}
