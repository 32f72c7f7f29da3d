import type { DetailLevel, UserRow } from './normalised-rows.ts';

/** Columns of users by the observations that show them, whose latest time applies to them unless they are stale (decision 15). */

/** All observations. */
const NAMES = ['screenName', 'name'] as const;
/** Summaries and profiles; the picture also references, if no other one is known. */
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

/** All observed columns. */
export const USER_COLUMNS = [...NAMES, ...SUMMARY, ...SUMMARY_ONLY, ...PROFILE_ONLY] as const;
export type UserColumn = (typeof USER_COLUMNS)[number];

/** The columns that an observation of each detail level may show. */
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

/** Returns the time of a column, given the times of its user. */
export function columnTime(column: string, { lastSeenAt, lastSummaryAt, profileAt }: UserTimes): number {
  const has = (columns: readonly string[]): boolean => columns.includes(column);
  if (has(NAMES)) return lastSeenAt;
  if (has(PROFILE_ONLY)) return profileAt;
  return has(SUMMARY_ONLY) ? lastSummaryAt : Math.max(lastSummaryAt, profileAt);
}
