import type { DetailLevel, UserRow } from './rows.ts';

/** Columns of users by what shows them: the newest time of that is theirs, unless they are behind (decision 15). */

/** Every form of a user. */
const NAMES = ['screenName', 'name'] as const;
/** Summaries and profiles; and the picture of an author, for who is known by nothing better. */
const SUMMARY = ['description', 'profileImageUrl', 'followersCount', 'followingCount'] as const;
const SUMMARY_ONLY = ['verified'] as const;
const PROFILE_ONLY = [
  'location',
  'url',
  'type',
  'coverImageUrl',
  'isBlueVerified',
  'canDm',
  'hasCustomTimelines',
  'isTranslator',
  'favouritesCount',
  'mediaCount',
  'statusesCount',
  'createdAt',
] as const;

/** What may be observed of a user. */
export const USER_COLUMNS = [...NAMES, ...SUMMARY, ...SUMMARY_ONLY, ...PROFILE_ONLY] as const;
export type UserColumn = (typeof USER_COLUMNS)[number];

/** Which columns an observation of each fullness may show. */
export const COLUMNS_BY_DETAIL_LEVEL = {
  reference: [...NAMES, 'profileImageUrl'],
  summary: [...NAMES, ...SUMMARY, ...SUMMARY_ONLY],
  profile: [...NAMES, ...SUMMARY, ...PROFILE_ONLY],
} as const satisfies Record<DetailLevel, readonly (keyof UserRow & UserColumn)[]>;

/** When a user was last seen: in any form, in a summary, as a full profile. */
export interface UserTimes {
  readonly lastSeenAt: number;
  readonly lastSummaryAt: number;
  readonly profileAt: number;
}

/** The time of each column, from those of the user. */
export const columnTime: (column: string, times: UserTimes) => number = (() => {
  const from = (columns: readonly string[], time: (times: UserTimes) => number) =>
    columns.map((column) => [column, time] as const);
  const times = new Map([
    ...from(NAMES, ({ lastSeenAt }) => lastSeenAt),
    ...from(SUMMARY, ({ lastSummaryAt, profileAt }) => Math.max(lastSummaryAt, profileAt)),
    ...from(SUMMARY_ONLY, ({ lastSummaryAt }) => lastSummaryAt),
    ...from(PROFILE_ONLY, ({ profileAt }) => profileAt),
  ]);
  return (column, user) => times.get(column)!(user);
})();
