import { extractEntities } from '#base/text.ts';
import {
  authorInspector,
  describeType,
  type ObservedItem,
  tweetInspector,
  type Inspector,
  profileInspector,
  readIdentity,
  summaryInspector,
} from '#service/contract/accepted-resources.ts';
import { isObject } from '#service/contract/json-body.ts';
import type { SizedMedia, UserReference } from '#service/contract/resources.ts';
import type { WireItem } from '#service/contract/wire-page.ts';
import type { MediaRow } from '#store/schema/normalised-rows.ts';
import { clean, type Collector } from './collector.ts';

/**
 * Normalises a tweet (spec, "Tweet object"). `authorRestId` is the owner of the list if the endpoint does not show
 * authors; `isPinned` marks a tweet outside of the list. Returns the tweet's id, or undefined if it is rejected.
 */
export function normaliseTweet(
  page: Collector,
  item: WireItem,
  authorRestId?: string,
  isPinned?: true,
): string | undefined {
  const tweet = page.accept(tweetInspector, item);
  if (!tweet) return undefined;
  const author =
    tweet.author == null
      ? undefined
      : normaliseReference(page, authorInspector, { path: `${item.path}/author`, value: tweet.author }, 'tweet.author');
  const restId = readIdentity(tweet);
  page.tweets.push({
    restId,
    authorRestId: author ?? authorRestId,
    text: clean(tweet.text),
    createdAt: page.readTime('tweet.created_at', tweet.created_at),
    favoriteCount: tweet.favorite_count,
    retweetCount: tweet.retweet_count,
    replyCount: tweet.reply_count,
    quoteCount: tweet.quote_count,
    hasMedia: tweet.has_media,
    // An empty id counts as absent.
    inReplyToStatusRestId: clean(tweet.in_reply_to_status_id) || null,
    inReplyToUserRestId: clean(tweet.in_reply_to_user_id) || null,
    inReplyToScreenName: clean(tweet.in_reply_to_screen_name) || null,
    isPinned,
    media: (tweet.media ?? []).flatMap((value) => normaliseMedia(page, value)),
    ...extractEntities(clean(tweet.text) ?? ''),
  });
  return restId;
}

function normaliseMedia(page: Collector, value: unknown): MediaRow[] {
  if (!isObject(value)) {
    page.dropField('tweet.media', value, `must be an object, is ${describeType(value)}`);
    return [];
  }
  const media: ObservedItem<typeof SizedMedia> = value;
  /** Returns the value of a field; null if it is absent or dropped. */
  function read<K extends keyof typeof media>(field: K, isValid: (value: unknown) => boolean) {
    const sent = media[field];
    if (sent == null || isValid(sent)) return sent ?? null;
    page.dropField(`media.${field}`, sent, `has the wrong type or form: ${describeType(sent)}`);
    return null;
  }
  const isText = (sent: unknown): boolean => typeof sent === 'string';
  return [
    {
      type: clean(read('type', isText)),
      url: clean(read('url', isText)),
      width: read('width', Number.isSafeInteger),
      height: read('height', Number.isSafeInteger),
    },
  ];
}

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
