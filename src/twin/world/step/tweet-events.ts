import { prepareRemoval } from '#store/erasure/remove-rows.ts';
import type { Db } from '#store/sqlite/database.ts';
import { createMedia } from '#twin/world/generate-tweets.ts';
import { randomHeavyTail, randomRank } from '#twin/world/power-law.ts';
import { createTweetRowWriter } from '#twin/world/row-writer.ts';
import { createSnowflakeId } from '#twin/world/times-and-ids.ts';
import { writeReplyText, writeTweetText } from '#twin/world/tweet-texts.ts';
import type { Account } from './population.ts';
import type { StepContext } from './step-context.ts';

interface TweetRow {
  readonly id: number;
  readonly restId: string;
  readonly authorId: number;
  readonly text: string;
  readonly parent: string | null;
}

const MAX_TRIES = 8;
const COMMUNITY_SHARE = 0.3;
const EDIT = '\n\nEdit: ';
const EDITS = [
  'typo.',
  'clearer now.',
  'the link works again.',
  'I was wrong about the date.',
  'thanks for all replies!',
];

/** Reads the groups that show tweets of each author. Both tables have an index by group only. */
function readGroupsByAuthor(db: Db, member: string, group: string): ReadonlyMap<number, readonly number[]> {
  const groups = new Map<number, number[]>();
  const rows = db.$client
    .prepare<[], [number, number]>(
      `select distinct t.author_id, m.${group} from ${member} m cross join tweets t on t.id = m.tweet_id
       where t.author_id is not null order by 1, 2`,
    )
    .raw()
    .all() as unknown as [number, number][];
  for (const [author, id] of rows) {
    const known = groups.get(author);
    if (known) known.push(id);
    else groups.set(author, [id]);
  }
  return groups;
}

/** Prepares the writing of new tweets and replies. */
function prepareTweetWriter({ db, random, population, changes }: StepContext, lastEarlier: number) {
  const write = createTweetRowWriter(db);
  const communitiesOf = readGroupsByAuthor(db, 'community_tweets', 'community_id');
  const listsOf = readGroupsByAuthor(db, 'list_tweets', 'list_id');
  let last = lastEarlier;

  /** Returns the service's id. */
  function writeTweet(author: Account, at: number, parent?: { tweet: TweetRow; author: Account }): string {
    const style = population.styleOf(author);
    const mentioned = random.chance(0.1) ? population.drawBy('followees', random) : undefined;
    const text = parent
      ? writeReplyText(random, style, parent.author.screenName)
      : writeTweetText(random, style, mentioned === author ? undefined : mentioned?.screenName);
    const restId = createSnowflakeId(random, at);
    const communities = parent ? [] : (communitiesOf.get(author.id) ?? []);
    write(
      {
        restId,
        text,
        createdAt: at,
        favorites: 0,
        retweets: 0,
        quotes: 0,
        replies: 0,
        media: random.chance(parent ? 0.05 : 0.24) ? createMedia(random, restId) : [],
      },
      {
        id: (last += 1),
        authorId: author.id,
        parent: parent && {
          restId: parent.tweet.restId,
          userRestId: parent.author.restId,
          screenName: parent.author.screenName,
        },
        communityIds: communities.length > 0 && random.chance(COMMUNITY_SHARE) ? [random.pick(communities)] : [],
        listIds: parent ? [] : (listsOf.get(author.id) ?? []),
        seenAt: at,
      },
    );
    changes.touchedUsers.add(author.id);
    return restId;
  }

  return {
    writeTweet,
    /** The greatest key that was given to a tweet. */
    get last(): number {
      return last;
    },
  };
}

/** Prepares the drawing of tweets by their keys. */
function prepareTweetDraws({ db, random }: StepContext) {
  const find = db.$client.prepare<[number], TweetRow>(
    `select id, rest_id as restId, author_id as authorId, coalesce(text, '') as text, in_reply_to_status_rest_id as parent
     from tweets where id <= ? and author_id is not null order by id desc limit 1`,
  );
  return {
    /** Draws one of the tweets up to a key. */
    any: (upTo: number): TweetRow | undefined => find.get(random.integerBetween(1, upTo)),
    /** Draws one of the tweets up to a key; recent ones are more likely. */
    recent: (upTo: number): TweetRow | undefined =>
      upTo === 0 ? undefined : find.get(upTo - randomRank(random, upTo)),
  };
}

/** Prepares the events of tweets. */
export function prepareTweetEvents(context: StepContext) {
  const { db, random, population, changes } = context;
  const lastEarlier = db.$client.prepare<[], number>('select coalesce(max(id), 0) from tweets').pluck().get()!;
  const writer = prepareTweetWriter(context, lastEarlier);
  const draw = prepareTweetDraws(context);
  const removeTweets = prepareRemoval(db, 'tweet key');
  const updateText = db.$client.prepare<[string, number, number]>(
    'update tweets set text = ?, last_seen_at = ? where id = ?',
  );
  const addCounts = db.$client.prepare<[number, number, number, number, number]>(
    `update tweets set favorite_count = coalesce(favorite_count, 0) + ?, retweet_count = coalesce(retweet_count, 0) + ?,
       quote_count = coalesce(quote_count, 0) + ?, last_seen_at = ? where id = ?`,
  );

  return {
    tweet(at: number): void {
      const author = population.drawBy('writers', random);
      if (author) changes.tweets.push(writer.writeTweet(author, at));
    },
    /** Adds a reply to a tweet of another account. */
    reply(at: number): void {
      for (let tries = MAX_TRIES; tries > 0; tries -= 1) {
        const author = population.drawBy('writers', random);
        const tweet = draw.recent(writer.last);
        const parentAuthor = tweet && population.find(tweet.authorId);
        if (!author || !parentAuthor || author === parentAuthor) continue;
        changes.replies.push(writer.writeTweet(author, at, { tweet, author: parentAuthor }));
        changes.touchedParents.add(tweet.restId);
        return;
      }
    },
    /** Adds likes to a tweet, and sometimes a retweet and a quote. One like is by an account of the world. */
    like(at: number): void {
      const tweet = draw.recent(writer.last);
      const liker = population.draw(random);
      if (!tweet || !liker) return;
      const likes = 1 + Math.min(50, Math.floor(randomHeavyTail(random, 0.5)));
      const retweets = random.chance(0.15) ? 1 : 0;
      addCounts.run(likes, retweets, retweets === 1 && random.chance(0.3) ? 1 : 0, at, tweet.id);
      changes.tweetCounts.add(tweet.restId);
      changes.likes.set(liker.id, (changes.likes.get(liker.id) ?? 0) + 1);
      changes.touchedUsers.add(liker.id);
    },
    /** Edits a tweet that existed before the step: the service shows only the new text. */
    edit(at: number): void {
      const tweet = draw.recent(lastEarlier);
      if (!tweet || changes.edits.has(tweet.restId)) return;
      const text = tweet.text.split(EDIT, 1)[0]! + EDIT + random.pick(EDITS);
      if (text === tweet.text) return;
      updateText.run(text, at, tweet.id);
      changes.edits.add(tweet.restId);
    },
    /** Deletes a tweet that existed before the step: any tweet in half of the cases, otherwise one that is probably recent. */
    deletion(): void {
      const tweet = lastEarlier > 0 && random.chance(0.5) ? draw.any(lastEarlier) : draw.recent(lastEarlier);
      if (!tweet) return;
      removeTweets([tweet.id]);
      changes.deletions.add(tweet.restId);
      changes.touchedUsers.add(tweet.authorId);
      if (tweet.parent !== null) changes.touchedParents.add(tweet.parent);
    },
  };
}
