import { prepareListEvidence } from '../../../queries/list-evidence.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import type { ListState, NetworkNode } from '../../api/network.ts';

/** Prepares reading which lists of an account were collected. */
export function prepareListStates(db: Db): (restId: string) => NetworkNode['lists'] {
  const followers = prepareListEvidence(db, 'followers');
  const following = prepareListEvidence(db, 'following');
  return (restId) => ({ followers: toState(followers.of(restId)), following: toState(following.of(restId)) });
}

const toState = ({ complete, isCollected }: { readonly complete: number; readonly isCollected: boolean }): ListState =>
  complete > 0 ? 'complete' : isCollected ? 'partial' : 'none';

/** Whether any edge of an account is known from its own lists. */
export const isCollected = ({ lists }: Pick<NetworkNode, 'lists'>): boolean =>
  lists.followers !== 'none' || lists.following !== 'none';
