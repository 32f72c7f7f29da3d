import { type ObservedMedia, type ObservedTweet, describeType, tweetInspector } from '../contract/observed.ts';
import type { WireItem } from '../contract/pages.ts';
import type { MediaRow } from '../store/schema/rows.ts';
import { extractEntities } from '../text.ts';
import { clean, type Collector, toWellFormed } from './collector.ts';
import { readIdentity, normaliseAuthor } from './users.ts';

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
  const tweet = page.accept<ObservedTweet>(tweetInspector, item);
  if (!tweet) return undefined;
  const author =
    tweet.author == null
      ? undefined
      : normaliseAuthor(page, { path: `${item.path}/author`, value: tweet.author }, 'tweet.author');
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
    media: (tweet.media ?? []).flatMap((value, i) => normaliseMedia(page, { path: `${item.path}/media/${i}`, value })),
    ...extractEntities(toWellFormed(tweet.text ?? '')),
  });
  return restId;
}

function normaliseMedia(page: Collector, item: WireItem): MediaRow[] {
  const { value } = item;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    page.dropField('tweet.media', value, `must be an object, is ${describeType(value)}`);
    return [];
  }
  const media = value as ObservedMedia;
  /** Returns the value of a field; null if it is absent or dropped. */
  function read<K extends keyof ObservedMedia>(field: K, isGood: (value: unknown) => boolean): ObservedMedia[K] | null {
    const mediaItem = media[field];
    if (mediaItem == null) return null;
    if (isGood(mediaItem)) return mediaItem;
    page.dropField(`media.${field}`, mediaItem, `has the wrong type or form: ${describeType(mediaItem)}`);
    return null;
  }
  const isText = (mediaItem: unknown): boolean => typeof mediaItem === 'string';
  return [
    {
      type: clean(read('type', isText)),
      url: clean(read('url', isText)),
      width: read('width', Number.isSafeInteger),
      height: read('height', Number.isSafeInteger),
    },
  ];
}
