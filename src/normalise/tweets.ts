import { type ObservedMedia, type ObservedTweet, kindOf, tweetInspector } from '../contract/observed.ts';
import type { WireItem } from '../contract/pages.ts';
import type { MediaRow } from '../store/rows.ts';
import { extractEntities } from '../text.ts';
import { clean, type Collector, wellFormed } from './collector.ts';
import { identityOf, normaliseReference } from './users.ts';

/**
 * A tweet (spec, "Tweet object"). Where the endpoint does not show the author, `authorRestId` is the owner of the list.
 * Returns the tweet's id, or undefined when it was set aside.
 */
export function normaliseTweet(page: Collector, item: WireItem, authorRestId?: string): string | undefined {
  const tweet = page.accept<ObservedTweet>(tweetInspector, item);
  if (!tweet) return undefined;
  const author =
    tweet.author == null
      ? authorRestId
      : normaliseReference(page, { path: `${item.path}/author`, value: tweet.author }, 'author');
  const restId = identityOf(tweet);
  page.tweets.push({
    restId,
    authorRestId: author,
    text: clean(tweet.text),
    createdAt: page.time('tweet.created_at', tweet.created_at),
    favoriteCount: tweet.favorite_count,
    retweetCount: tweet.retweet_count,
    replyCount: tweet.reply_count,
    quoteCount: tweet.quote_count,
    hasMedia: tweet.has_media,
    // An empty identity is none.
    inReplyToStatusId: clean(tweet.in_reply_to_status_id) || null,
    inReplyToUserId: clean(tweet.in_reply_to_user_id) || null,
    inReplyToScreenName: clean(tweet.in_reply_to_screen_name) || null,
    media: (tweet.media ?? []).flatMap((value, i) => normaliseMedia(page, { path: `${item.path}/media/${i}`, value })),
    ...extractEntities(wellFormed(tweet.text ?? '')),
  });
  return restId;
}

function normaliseMedia(page: Collector, item: WireItem): MediaRow[] {
  const { value } = item;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    page.reject(item, '', `must be an object, is ${kindOf(value)}`);
    return [];
  }
  const media = value as ObservedMedia;
  const text = (field: 'type' | 'url') => (typeof media[field] === 'string' ? wellFormed(media[field]) : null);
  const size = (field: 'width' | 'height') => (Number.isSafeInteger(media[field]) ? media[field] : null);
  return [{ type: text('type'), url: text('url'), width: size('width'), height: size('height') }];
}
