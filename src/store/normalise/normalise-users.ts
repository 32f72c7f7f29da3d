import {
  type Inspector,
  type ObservedItem,
  profileInspector,
  summaryInspector,
} from '../../service/contract/accepted-resources.ts';
import type { UserReference } from '../../service/contract/resources.ts';
import type { WireItem } from '../../service/contract/wire-page.ts';
import { clean, type Collector } from './collector.ts';

/** Returns the identity of an inspected item: `rest_id`, else `id`. */
export const readIdentity = (item: { rest_id?: string | null; id?: string | null }): string =>
  (item.rest_id ?? item.id)!;

/** Normalises a user profile (spec, "User profile object"). Returns the user's id, or undefined if it is rejected. */
export function normaliseProfile(page: Collector, item: WireItem): string | undefined {
  const profile = page.accept(profileInspector, item);
  if (!profile) return undefined;
  const restId = readIdentity(profile);
  page.users.push({
    restId,
    detailLevel: 'profile',
    screenName: clean(profile.userName),
    name: clean(profile.name),
    description: clean(profile.description),
    location: clean(profile.location),
    url: clean(profile.url),
    type: clean(profile.type),
    profileImageUrl: clean(profile.profilePicture),
    coverImageUrl: clean(profile.coverPicture),
    isBlueVerified: profile.isBlueVerified,
    canDm: profile.canDm,
    hasCustomTimelines: profile.hasCustomTimelines,
    isTranslator: profile.isTranslator,
    followersCount: profile.followers,
    followingCount: profile.following,
    favouritesCount: profile.favouritesCount,
    mediaCount: profile.mediaCount,
    statusesCount: profile.statusesCount,
    createdAt: page.readTime('profile.createdAt', profile.createdAt),
  });
  return restId;
}

/** Normalises a user of a follower or following list (spec, "User summary object"). */
export function normaliseSummary(page: Collector, item: WireItem): string | undefined {
  const summary = page.accept(summaryInspector, item);
  if (!summary) return undefined;
  const restId = readIdentity(summary);
  page.users.push({
    restId,
    detailLevel: 'summary',
    screenName: clean(summary.screen_name),
    name: clean(summary.name),
    description: clean(summary.description),
    profileImageUrl: clean(summary.profile_image_url),
    verified: summary.verified,
    followersCount: summary.followers_count,
    followingCount: summary.following_count,
  });
  return restId;
}

type Reference = ObservedItem<typeof UserReference> & { profile_image_url?: string | null };

/**
 * Normalises the owner of a list or the author of a tweet (spec, "Reference objects", "Author object"). Returns the id,
 * or undefined if it is dropped.
 */
export function normaliseReference(page: Collector, inspector: Inspector<Reference>, item: WireItem, field: string) {
  const user = page.accept(inspector, item, field);
  if (!user) return undefined;
  const restId = readIdentity(user);
  page.users.push({
    restId,
    detailLevel: 'reference',
    screenName: clean(user.screen_name),
    name: clean(user.name),
    profileImageUrl: clean(user.profile_image_url),
  });
  return restId;
}
