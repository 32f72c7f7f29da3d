import type { FoundTweetData } from '../../../dashboard/api/find.ts';

const STATES = { deleted: 'Deleted', account_unavailable: 'Account unavailable' } as const;

/** Why a result is left out unless it is asked for. */
export const HiddenBadge = ({ state }: Pick<FoundTweetData, 'state'>) =>
  state === null ? null : <span class="hidden-state">{STATES[state]}</span>;
