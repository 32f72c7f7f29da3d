import { sql } from 'drizzle-orm';
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { PRIORITIES } from '../../quota/priorities.ts';
import { CRAWL_STATES } from './crawl-states.ts';

/**
 * The tables. Primary keys are small integers in order of first sight; the service's own ids are unique text. Times are
 * milliseconds since the epoch, UTC. There are no foreign keys: pages arrive in any order, and people who are only
 * mentioned are rows with little more than an id. The sentence above each table goes into the data dictionary.
 */

const id = () => integer('id').primaryKey();
const restId = () => text('rest_id').notNull().unique();
const flag = (name: string) => integer(name, { mode: 'boolean' });

/** Everybody seen, as fully as they were seen: by profile, by summary (in a list), or as a bare reference. */
export const users = sqliteTable(
  'users',
  {
    id: id(),
    restId: restId(),
    screenName: text('screen_name'),
    name: text('name'),
    description: text('description'),
    location: text('location'),
    url: text('url'),
    type: text('type'),
    profileImageUrl: text('profile_image_url'),
    coverImageUrl: text('cover_image_url'),
    verified: flag('verified'),
    isBlueVerified: flag('is_blue_verified'),
    canDm: flag('can_dm'),
    hasCustomTimelines: flag('has_custom_timelines'),
    isTranslator: flag('is_translator'),
    followersCount: integer('followers_count'),
    followingCount: integer('following_count'),
    favouritesCount: integer('favourites_count'),
    mediaCount: integer('media_count'),
    statusesCount: integer('statuses_count'),
    createdAt: integer('created_at'),
    /** When the user was first seen in any form. */
    firstSeen: integer('first_seen').notNull(),
    /** When the observation was made that last said something new of them. */
    changedAt: integer('changed_at'),
    /** When the full profile was last seen. */
    profileAt: integer('profile_at'),
    /** Flag: the latest observations did not show all that is known; `users_behind` says what is older. */
    behind: flag('behind').notNull().default(false),
  },
  (t) => [index('users_screen_name').on(sql`${t.screenName} collate nocase`)],
);

/** When users were last seen: apart from what they are, since it is all that changes of most when they are seen again. */
export const usersSeen = sqliteTable('users_seen', {
  userId: integer('user_id').primaryKey(),
  /** When the name and the screen name were last seen. */
  seenAt: integer('seen_at').notNull(),
  /** When a summary was last seen. */
  summaryAt: integer('summary_at'),
});

/**
 * What the latest observations of users did not show though earlier ones did: the column, and when it was last seen. A
 * picture that only a reference showed was seen at 0. So that older pages that come late know what is older (decision 15).
 */
export const usersBehind = sqliteTable(
  'users_behind',
  { userId: integer('user_id').notNull(), column: text('column').notNull(), seenAt: integer('seen_at').notNull() },
  (t) => [primaryKey({ columns: [t.userId, t.column] })],
);

/**
 * Earlier values of a user, one row per change: when they were last seen, and when others were. Null is unchanged. Every column
 * is kept; the picture of an author, which only tweet-detail shows, counts as long as no summary or profile showed one, and
 * leaves no row.
 */
export const userHistory = sqliteTable(
  'user_history',
  {
    id: id(),
    userId: integer('user_id').notNull(),
    lastSeen: integer('last_seen').notNull(),
    changedAt: integer('changed_at').notNull(),
    screenName: text('screen_name'),
    name: text('name'),
    description: text('description'),
    followersCount: integer('followers_count'),
    followingCount: integer('following_count'),
    statusesCount: integer('statuses_count'),
    location: text('location'),
    url: text('url'),
    type: text('type'),
    profileImageUrl: text('profile_image_url'),
    coverImageUrl: text('cover_image_url'),
    verified: flag('verified'),
    isBlueVerified: flag('is_blue_verified'),
    canDm: flag('can_dm'),
    hasCustomTimelines: flag('has_custom_timelines'),
    isTranslator: flag('is_translator'),
    favouritesCount: integer('favourites_count'),
    mediaCount: integer('media_count'),
    createdAt: integer('created_at'),
  },
  (t) => [
    index('user_history_user').on(t.userId, t.changedAt),
    index('user_history_screen_name')
      .on(sql`${t.screenName} collate nocase`)
      .where(sql`screen_name is not null`),
  ],
);

/** Tweets and replies. */
export const tweets = sqliteTable(
  'tweets',
  {
    id: id(),
    restId: restId(),
    authorId: integer('author_id'),
    text: text('text'),
    createdAt: integer('created_at'),
    favoriteCount: integer('favorite_count'),
    retweetCount: integer('retweet_count'),
    replyCount: integer('reply_count'),
    quoteCount: integer('quote_count'),
    hasMedia: flag('has_media'),
    inReplyToStatusId: text('in_reply_to_status_id'),
    inReplyToUserId: text('in_reply_to_user_id'),
    inReplyToScreenName: text('in_reply_to_screen_name'),
    firstSeen: integer('first_seen').notNull(),
    seenAt: integer('seen_at').notNull(),
    /** Flag: the latest observation did not show all that is known; `tweets_behind` says what is older. */
    behind: flag('behind').notNull().default(false),
    /** Which lists of its author showed it: 1 timeline, 2 replies, 3 both. */
    listed: integer('listed').notNull().default(0),
    /** When `has_media` was last shown, and when any of `in_reply_to_*` was: few endpoints show them. */
    hasMediaAt: integer('has_media_at'),
    inReplyToAt: integer('in_reply_to_at'),
  },
  (t) => [
    index('tweets_author').on(t.authorId, t.createdAt),
    index('tweets_created_at').on(t.createdAt),
    index('tweets_in_reply_to')
      .on(t.inReplyToStatusId)
      .where(sql`in_reply_to_status_id is not null`),
    index('tweets_in_reply_to_user')
      .on(t.inReplyToUserId)
      .where(sql`in_reply_to_user_id is not null`),
    index('tweets_in_reply_to_screen_name')
      .on(sql`${t.inReplyToScreenName} collate nocase`)
      .where(sql`in_reply_to_screen_name is not null`),
  ],
);

/** What the latest observation of a tweet did not show though earlier ones did: the column, and when it was last seen. */
export const tweetsBehind = sqliteTable(
  'tweets_behind',
  { tweetId: integer('tweet_id').notNull(), column: text('column').notNull(), seenAt: integer('seen_at').notNull() },
  (t) => [primaryKey({ columns: [t.tweetId, t.column] })],
);

/**
 * Tweets that were not where their author's list had shown them before (suspected), and those of which the service said
 * that they are gone (confirmed). It holds only while it is later than the tweet's `seen_at`: seen again, it is back.
 */
export const absences = sqliteTable(
  'absences',
  {
    tweetId: integer('tweet_id').primaryKey(),
    /** When a list first lacked it since it was last seen. */
    suspectedAt: integer('suspected_at').notNull(),
    /** When the service answered 404 for it. */
    confirmedAt: integer('confirmed_at'),
    /** The crawl that missed it last, or that was told. */
    crawlId: integer('crawl_id').notNull(),
  },
  (t) => [index('absences_crawl').on(t.crawlId)],
);

/**
 * Replies that tweet-detail showed below a tweet. Their position is the evidence that they answer it: they carry no
 * `in_reply_to_*` fields. Replies that carry these fields have no row here unless they were shown so, too: `v_replies` has both.
 */
export const tweetReplies = sqliteTable(
  'tweet_replies',
  {
    tweetId: integer('tweet_id').notNull(),
    replyId: integer('reply_id').notNull(),
    firstSeenAt: integer('first_seen_at').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.tweetId, t.replyId] }), index('tweet_replies_reply').on(t.replyId)],
);

/** Earlier values of a tweet, one row per change: when they were last seen, and when others were. Null is unchanged. */
export const tweetHistory = sqliteTable(
  'tweet_history',
  {
    id: id(),
    tweetId: integer('tweet_id').notNull(),
    lastSeen: integer('last_seen').notNull(),
    changedAt: integer('changed_at').notNull(),
    favoriteCount: integer('favorite_count'),
    retweetCount: integer('retweet_count'),
    replyCount: integer('reply_count'),
    quoteCount: integer('quote_count'),
    authorId: integer('author_id'),
    text: text('text'),
    createdAt: integer('created_at'),
    hasMedia: flag('has_media'),
    inReplyToStatusId: text('in_reply_to_status_id'),
    inReplyToUserId: text('in_reply_to_user_id'),
    inReplyToScreenName: text('in_reply_to_screen_name'),
  },
  (t) => [index('tweet_history_tweet').on(t.tweetId, t.changedAt)],
);

/** Photos and other media of tweets, in the order shown. */
export const media = sqliteTable(
  'media',
  {
    tweetId: integer('tweet_id').notNull(),
    position: integer('position').notNull(),
    type: text('type'),
    url: text('url'),
    width: integer('width'),
    height: integer('height'),
  },
  (t) => [primaryKey({ columns: [t.tweetId, t.position] })],
);

/** Hashtags in tweets, in lower case and without the sign. */
export const tweetHashtags = sqliteTable(
  'tweet_hashtags',
  { tweetId: integer('tweet_id').notNull(), tag: text('tag').notNull() },
  (t) => [primaryKey({ columns: [t.tag, t.tweetId] }), index('tweet_hashtags_tweet').on(t.tweetId)],
);

/** Users mentioned in tweets, by the handle as written, in lower case. */
export const tweetMentions = sqliteTable(
  'tweet_mentions',
  { tweetId: integer('tweet_id').notNull(), screenName: text('screen_name').notNull() },
  (t) => [primaryKey({ columns: [t.screenName, t.tweetId] }), index('tweet_mentions_tweet').on(t.tweetId)],
);

/** Links in tweets. */
export const tweetLinks = sqliteTable(
  'tweet_links',
  { tweetId: integer('tweet_id').notNull(), url: text('url').notNull() },
  (t) => [primaryKey({ columns: [t.tweetId, t.url] })],
);

/**
 * Who follows whom: one row per edge, its present stretch or the last one. An edge that two complete lists in a row
 * lacked ended between `last_seen` and `ended`; one that comes back leaves its earlier stretch in `follow_history`.
 */
export const follows = sqliteTable(
  'follows',
  {
    /** In order of arrival: the edges of a page are neighbours (decision 9). */
    id: id(),
    followeeId: integer('followee_id').notNull(),
    followerId: integer('follower_id').notNull(),
    firstSeen: integer('first_seen').notNull(),
    lastSeen: integer('last_seen').notNull(),
    /** When it was gone at the latest: `first_missed`, set once a second complete list lacked it too. Null while it stands. */
    ended: integer('ended'),
    /** When the first complete list that lacked it was at its end; null while it is not missing. */
    firstMissed: integer('first_missed'),
    /** Where it was last seen: 0 in a list of followers, 1 in a list of those whom somebody follows. */
    seenIn: integer('seen_in').notNull().default(0),
  },
  (t) => [
    uniqueIndex('follows_follower').on(t.followerId, t.followeeId),
    index('follows_followee').on(t.followeeId),
    index('follows_missed_followee')
      .on(t.followeeId, t.followerId)
      .where(sql`first_missed is not null`),
    index('follows_missed_follower')
      .on(t.followerId, t.followeeId)
      .where(sql`first_missed is not null`),
  ],
);

/** Earlier stretches of edges that ended and came back: seen first and last, and lacking by `ended`. */
export const followHistory = sqliteTable(
  'follow_history',
  {
    id: id(),
    followeeId: integer('followee_id').notNull(),
    followerId: integer('follower_id').notNull(),
    firstSeen: integer('first_seen').notNull(),
    lastSeen: integer('last_seen').notNull(),
    ended: integer('ended').notNull(),
  },
  (t) => [
    index('follow_history_followee').on(t.followeeId, t.followerId),
    index('follow_history_follower').on(t.followerId, t.followeeId),
  ],
);

/** Lists of followers and of those followed that were walked from end to end: what is known of edges that are not in one. */
export const completeLists = sqliteTable(
  'complete_lists',
  {
    crawlId: integer('crawl_id').primaryKey(),
    side: text('side', { enum: ['followers', 'following'] }).notNull(),
    userId: integer('user_id').notNull(),
    startedAt: integer('started_at').notNull(),
    finishedAt: integer('finished_at').notNull(),
    /** How many stored edges it lacked for the first time, and how many it was the second list in a row to lack. */
    missed: integer('missed').notNull(),
    ended: integer('ended').notNull(),
    /**
     * Of a list of followed accounts, the digest of its pages' bodies as served. Two lists with the same digest that begin
     * within 24 hours may be copies of one cached answer, and count as one observation. Null where it is not known.
     */
    digest: text('digest'),
  },
  (t) => [index('complete_lists_user').on(t.userId, t.side, t.finishedAt)],
);

const group = () => ({
  id: id(),
  restId: restId(),
  name: text('name'),
  description: text('description'),
  seenAt: integer('seen_at').notNull(),
});

/** Communities. */
export const communities = sqliteTable('communities', group());

/** Which tweets belong to which community. */
export const communityTweets = sqliteTable(
  'community_tweets',
  {
    communityId: integer('community_id').notNull(),
    tweetId: integer('tweet_id').notNull(),
    firstSeen: integer('first_seen').notNull(),
  },
  (t) => [primaryKey({ columns: [t.communityId, t.tweetId] })],
);

/** Public lists of users. */
export const lists = sqliteTable('lists', group());

/** Which tweets were seen in which list. */
export const listTweets = sqliteTable(
  'list_tweets',
  {
    listId: integer('list_id').notNull(),
    tweetId: integer('tweet_id').notNull(),
    firstSeen: integer('first_seen').notNull(),
  },
  (t) => [primaryKey({ columns: [t.listId, t.tweetId] })],
);

/** Search strings that were crawled. */
export const searches = sqliteTable('searches', {
  id: id(),
  query: text('query').notNull().unique(),
  firstSeen: integer('first_seen').notNull(),
  seenAt: integer('seen_at').notNull(),
});

/** What a search found: the place in its latest result, and when it was found first and last. */
export const searchHits = sqliteTable(
  'search_hits',
  {
    searchId: integer('search_id').notNull(),
    tweetId: integer('tweet_id').notNull(),
    rank: integer('rank').notNull(),
    firstSeen: integer('first_seen').notNull(),
    lastSeen: integer('last_seen').notNull(),
  },
  (t) => [primaryKey({ columns: [t.searchId, t.tweetId] })],
);

/** Crawls: what was asked for, how far it came and how it ended. `finished_at` is null while it is unfinished. */
export const crawls = sqliteTable(
  'crawls',
  {
    id: id(),
    kind: text('kind').notNull(),
    target: text('target').notNull(),
    /** The handle of the target as it was typed, or as the service spells it; `target` has it in lower case. */
    handle: text('handle'),
    options: text('options').notNull(),
    class: text('class', { enum: PRIORITIES }).notNull(),
    /** The crawl that this one came of, and the one that all of its family came of. */
    parentId: integer('parent_id'),
    rootId: integer('root_id'),
    state: text('state', { enum: CRAWL_STATES }).notNull(),
    /**
     * Why it is partial or failed; while it is paused: `quota`, `outage` (the service does not work), `budget`, `retry` (it failed for
     * this crawl, and works for others), `unauthorized`.
     */
    reason: text('reason'),
    /**
     * What ended a list: `served` (no next cursor), `one_page` (no next cursor, of an endpoint that documents none), `inferred`
     * (empty pages), `since`, `joined` (the rest is known down to an end that the service gave, or to `--since`),
     * `joined_inferred` (the same, down to an inferred end), or `halved` (a search that was asked again in parts).
     */
    ending: text('ending'),
    /** The last error in words. */
    error: text('error'),
    /** The service's id of the target, once it is known. */
    targetId: text('target_id'),
    /** The checkpoint: the cursor of the next page (null at the start), and what the end guard remembers. */
    cursor: text('cursor'),
    guard: text('guard'),
    pages: integer('pages').notNull().default(0),
    items: integer('items').notNull().default(0),
    newItems: integer('new_items').notNull().default(0),
    /** Users and tweets that it found changed, edges that it found ended and tweets that it found deleted. */
    changes: integer('changes').notNull().default(0),
    /** Items of the last page: the pages before it led on, and show how many the service puts on one. */
    lastItems: integer('last_items'),
    rejected: integer('rejected').notNull().default(0),
    requests: integer('requests').notNull().default(0),
    /** What it was asked for together with: its budget is theirs. */
    runId: integer('run_id'),
    /** Of a snowball with a limit of accounts: the run that asked for it last, whose snowballs share the limit. */
    limitRunId: integer('limit_run_id'),
    /** The requests that were planned when it was asked for, its family's included: at least, likely, at most. */
    plannedLeast: integer('planned_least'),
    planned: integer('planned'),
    plannedMost: integer('planned_most'),
    /** Failures in a row since the last page. */
    failures: integer('failures').notNull().default(0),
    /** The fencing token: only its holder may commit. */
    lease: integer('lease').notNull().default(0),
    /** A `trawl crawl` run that keeps this crawl to itself, and until when. */
    claimedBy: text('claimed_by'),
    claimedUntil: integer('claimed_until'),
    /** Paused until then. */
    resumeAt: integer('resume_at'),
    createdAt: integer('created_at').notNull(),
    startedAt: integer('started_at'),
    updatedAt: integer('updated_at').notNull(),
    finishedAt: integer('finished_at'),
    /**
     * The most requests that its worker may have sent and not recorded: set by the lease, 0 once the crawl is handed back
     * or ended. Of a cancelled crawl, it stays until its worker has reported.
     */
    inFlight: integer('in_flight').notNull().default(0),
    /** The sum of `in_flight` of workers that were killed: at most so many requests were sent beside those on record. */
    unknownRequests: integer('unknown_requests').notNull().default(0),
  },
  (t) => [
    index('crawls_target').on(t.kind, t.target),
    index('crawls_in_flight')
      .on(t.runId)
      .where(sql`in_flight > 0`),
    index('crawls_unknown_requests')
      .on(t.unknownRequests)
      .where(sql`unknown_requests > 0`),
    index('crawls_run')
      .on(t.runId)
      .where(sql`run_id is not null and parent_id is null`),
    uniqueIndex('crawls_unfinished')
      .on(t.kind, t.target, t.options)
      .where(sql`finished_at is null`),
    index('crawls_pending')
      .on(t.id)
      .where(sql`finished_at is null`),
    index('crawls_state').on(t.state, t.kind),
    // Running crawls are few, and each page changes when they were updated: only the paused ones are indexed by that.
    index('crawls_paused')
      .on(t.updatedAt)
      .where(sql`state = 'paused'`),
    index('crawls_paused_reason')
      .on(t.reason, t.resumeAt)
      .where(sql`state = 'paused'`),
    index('crawls_claimed')
      .on(t.claimedBy, t.claimedUntil)
      .where(sql`claimed_by is not null`),
    index('crawls_parent')
      .on(t.parentId)
      .where(sql`parent_id is not null`),
  ],
);

/** Crawls that were asked for together: by a run of a job, or by a command with a budget. Null is no limit. */
export const runs = sqliteTable(
  'runs',
  {
    id: id(),
    /** The job; null for a command. */
    job: text('job'),
    madeAt: integer('made_at').notNull(),
    /** The requests that it may send in all, and on a day (UTC); for a job, all its runs of the day count together. */
    perRun: integer('per_run'),
    perDay: integer('per_day'),
    /** How many accounts its snowballs have found, where they are limited: the rows of `run_targets`. */
    targets: integer('targets').notNull().default(0),
  },
  (t) => [index('runs_job').on(t.job)],
);

/**
 * The requests that runs sent, by day (UTC, days since 1970): the rows of `requests`, counted with each page, and beside
 * them those that killed workers may have sent, at most, on the day when that was noticed.
 */
export const runDays = sqliteTable(
  'run_days',
  {
    day: integer('day').notNull(),
    runId: integer('run_id').notNull(),
    requests: integer('requests').notNull(),
    unknown: integer('unknown').notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.day, t.runId] }), index('run_days_run').on(t.runId)],
);

/** The accounts that the snowballs of a run have found, where the user limited them. */
export const runTargets = sqliteTable(
  'run_targets',
  { runId: integer('run_id').notNull(), target: text('target').notNull() },
  (t) => [primaryKey({ columns: [t.runId, t.target] })],
);

/** Which crawls came of a crawl, however far down. One that joined another's unfinished crawl has it in its family too. */
export const crawlFamily = sqliteTable(
  'crawl_family',
  { rootId: integer('root_id').notNull(), crawlId: integer('crawl_id').notNull() },
  (t) => [primaryKey({ columns: [t.rootId, t.crawlId] })],
);

/** What was learnt of the service's endpoints that its specification does not say. */
export const endpointFacts = sqliteTable('endpoint_facts', {
  endpoint: text('endpoint').primaryKey(),
  /** Whether a cursor was seen to lead on: `followed`, or `ignored` when the same page came again. */
  cursor: text('cursor').notNull(),
  seenAt: integer('seen_at').notNull(),
});

/** The longest page that each endpoint was seen to give of late: page sizes are learnt, never assumed. */
export const longestPages = sqliteTable('longest_pages', {
  endpoint: text('endpoint').primaryKey(),
  /** How many items it had: neither those set aside nor any twice. */
  entries: integer('entries').notNull(),
  seenAt: integer('seen_at').notNull(),
});

/** Crawl jobs by the clock: what each asks for, its times, and how far it has come. */
export const scheduledJobs = sqliteTable('scheduled_jobs', {
  name: text('name').primaryKey(),
  /** The whole job as JSON, and the part of it that says when it runs. */
  job: text('job').notNull(),
  schedule: text('schedule').notNull(),
  /** When it got this schedule. */
  madeAt: integer('made_at').notNull(),
  /** Which time of its schedule the newest run was for. */
  slot: integer('slot'),
  /** The newest run: when, how many crawls it made and how many it found unfinished, and what went wrong. */
  ranAt: integer('ran_at'),
  added: integer('added'),
  joined: integer('joined'),
  problem: text('problem'),
});

/** The account that a job means by a handle: the one that its first successful crawl of that handle was of. */
export const jobAccounts = sqliteTable(
  'job_accounts',
  {
    job: text('job').notNull(),
    /** As the target of crawls. */
    handle: text('handle').notNull(),
    restId: text('rest_id').notNull(),
    boundAt: integer('bound_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.job, t.handle] })],
);

/**
 * What is known complete of lists in order of time: intervals that were walked without a gap, merged. One claims what is
 * strictly between its newest and its oldest item, and with a `bottom` all that is older than its newest.
 */
export const coverage = sqliteTable(
  'coverage',
  {
    id: id(),
    kind: text('kind').notNull(),
    /** The account's id, or the community's. */
    target: text('target').notNull(),
    newestId: text('newest_id').notNull(),
    newestAt: integer('newest_at').notNull(),
    oldestId: text('oldest_id').notNull(),
    oldestAt: integer('oldest_at').notNull(),
    /** The list ends here: `served` (the service said so) or `inferred` (from empty pages). Null: a gap is below. */
    bottom: text('bottom', { enum: ['served', 'inferred'] }),
    /** The crawl that extended it last, and how many pages and items were new to it when walked. */
    crawlId: integer('crawl_id').notNull(),
    pages: integer('pages').notNull(),
    items: integer('items').notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (t) => [index('coverage_list').on(t.kind, t.target, t.newestAt)],
);

/** Gaps: what is not known of lists in order of time, below each interval that does not reach the list's end. */
export const gaps = sqliteTable(
  'gaps',
  {
    id: id(),
    kind: text('kind').notNull(),
    target: text('target').notNull(),
    /** The interval above it. */
    coverageId: integer('coverage_id').unique(),
    /** From the oldest item above it to the newest below; null when nothing is known below. Both may have neighbours. */
    newerId: text('newer_id').notNull(),
    newerAt: integer('newer_at').notNull(),
    olderId: text('older_id'),
    olderAt: integer('older_at'),
    /**
     * `open` (a crawl is to go on here), `interrupted`, `max_pages`, `max_requests`, `since` (older items were not wanted), `one_page`,
     * `rejected_items` (asking again does not help), `out_of_order`, `saturated` (a day of a search that hides more than
     * a page shows, from its first moment to its last), or a fault of the cursor: `cursor_refused`, …
     */
    reason: text('reason').notNull(),
    /** The crawl that stopped here: its cursor may lead on. */
    crawlId: integer('crawl_id').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (t) => [index('gaps_list').on(t.kind, t.target, t.newerAt), index('gaps_crawl').on(t.crawlId)],
);

/**
 * What each step of a crawl stored beside its rows, in the order of the store. With `raw_pages` it says how all that was
 * made of pages came about, so that `trawl rebuild` can make it again; where a body is gone, it says what is missing.
 */
export const steps = sqliteTable('steps', {
  id: id(),
  crawlId: integer('crawl_id').notNull(),
  at: integer('at').notNull(),
  /** One letter for each answer: `p` is the page, `b` was beside it (the look-up of a handle), `n` showed nothing. */
  answers: text('answers').notNull(),
  /** The first answer's row of `raw_pages`, which the others follow; null where bodies were not kept. */
  rawPageId: integer('raw_page_id'),
  /** The newest row of `requests` then; null when the step sent none. */
  requestId: integer('request_id'),
  /**
   * As JSON, the pages that it counted, the target's id where it was new, what it covered or searched and how the crawl ended; or
   * that somebody `steered` it. Null: one page and nothing more.
   */
  course: text('course'),
});

/**
 * Stretches of time that searches were asked about. What they showed of them was seen; nothing is proven: search is sorted
 * by relevance. A day that hides more than a page shows is a row of `gaps` beside it, `saturated`.
 */
export const searched = sqliteTable(
  'searched',
  {
    id: id(),
    /** The search string without the dates, as it is the target of the crawls. */
    query: text('query').notNull(),
    fromAt: integer('from_at').notNull(),
    /** Its end, left out: no later than when it was asked for. */
    toAt: integer('to_at').notNull(),
    seenAt: integer('seen_at').notNull(),
    crawlId: integer('crawl_id').notNull(),
  },
  (t) => [uniqueIndex('searched_window').on(t.query, t.fromAt, t.toAt)],
);

/** The body of every page as it was served, compressed. */
export const rawPages = sqliteTable(
  'raw_pages',
  {
    id: id(),
    crawlId: integer('crawl_id').notNull(),
    endpoint: text('endpoint').notNull(),
    parameters: text('parameters').notNull(),
    status: integer('status').notNull(),
    fetchedAt: integer('fetched_at').notNull(),
    /** SHA-256 of the body as it was served. */
    hash: text('hash').notNull(),
    /** The body, compressed: with `br` (brotli), or with `deflate` (zlib) where the page is older. */
    encoding: text('encoding', { enum: ['br', 'deflate'] })
      .notNull()
      .default('deflate'),
    body: blob('body', { mode: 'buffer' }).notNull(),
  },
  (t) => [index('raw_pages_crawl').on(t.crawlId)],
);

/** Every request sent on behalf of a crawl: the account of the quota. */
export const requests = sqliteTable(
  'requests',
  {
    id: id(),
    crawlId: integer('crawl_id').notNull(),
    endpoint: text('endpoint').notNull(),
    at: integer('at').notNull(),
    /** HTTP status; null when there was no answer. */
    status: integer('status'),
    ms: integer('ms').notNull(),
    bytes: integer('bytes').notNull(),
    error: text('error'),
  },
  (t) => [index('requests_crawl').on(t.crawlId)],
);

/** What token-info said, when it was asked. */
export const quotaSamples = sqliteTable('quota_samples', {
  id: id(),
  at: integer('at').notNull(),
  appLimit: integer('app_limit').notNull(),
  remaining: integer('remaining').notNull(),
  resetAt: integer('reset_at'),
  /** A hash of the service's address and the API key, never the key. Null: taken before samples had one. */
  keyHash: text('key_hash'),
});

/** Fields that the interface specification does not have, and values in another form than it says. */
export const drift = sqliteTable(
  'drift',
  {
    endpoint: text('endpoint').notNull(),
    field: text('field').notNull(),
    firstSeen: integer('first_seen').notNull(),
    lastSeen: integer('last_seen').notNull(),
    count: integer('count').notNull(),
    sample: text('sample'),
  },
  (t) => [primaryKey({ columns: [t.endpoint, t.field] })],
);

/**
 * Which fields the service sent, by day (UTC): of the first ten items of a sort on each page, how many had them. And drift
 * by day: on how many pages it was.
 */
export const fieldsByDay = sqliteTable(
  'fields_by_day',
  {
    endpoint: text('endpoint').notNull(),
    /** Its first millisecond. */
    day: integer('day').notNull(),
    /** The sort of item and the field: `tweet.text`. */
    field: text('field').notNull(),
    /** Flag: a field that the specification does not have, or a value in another form, named as in `drift`. */
    isDrift: flag('is_drift').notNull(),
    /** Items that were looked at, and those of them that had the field and not null. Of drift, both are pages. */
    items: integer('items').notNull(),
    filled: integer('filled').notNull(),
  },
  (t) => [primaryKey({ columns: [t.endpoint, t.field, t.isDrift, t.day] })],
);

/** Items that could not be stored, with the reason. */
export const rejects = sqliteTable(
  'rejects',
  {
    id: id(),
    crawlId: integer('crawl_id').notNull(),
    /** The page that it is on; null where bodies were not kept. */
    rawPageId: integer('raw_page_id'),
    endpoint: text('endpoint').notNull(),
    path: text('path').notNull(),
    reason: text('reason').notNull(),
    sample: text('sample').notNull(),
    at: integer('at').notNull(),
    /** When the page was read again, and the item could be stored (`trawl rejects retry`). */
    resolvedAt: integer('resolved_at'),
  },
  (t) => [index('rejects_page').on(t.rawPageId), index('rejects_crawl').on(t.crawlId)],
);

/** Values of fields that could not be read, by crawl: their items were stored without them. */
export const droppedFields = sqliteTable(
  'dropped_fields',
  {
    crawlId: integer('crawl_id').notNull(),
    endpoint: text('endpoint').notNull(),
    /** The sort of item and the field: `tweet.created_at`. */
    field: text('field').notNull(),
    reason: text('reason').notNull(),
    /** How many values. */
    count: integer('count').notNull(),
    firstSeenAt: integer('first_seen_at').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
    /** The first of the values as JSON. */
    sample: text('sample').notNull(),
  },
  (t) => [primaryKey({ columns: [t.crawlId, t.endpoint, t.field, t.reason] })],
);

/** The twin's API keys, hashed. */
export const apiKeys = sqliteTable('api_keys', {
  id: id(),
  name: text('name').notNull(),
  /** SHA-256 of the key: keys are random, so no slow hash is needed. */
  hash: text('hash').notNull().unique(),
  /** The first characters, to tell keys apart. */
  prefix: text('prefix').notNull(),
  limit: integer('limit').notNull(),
  windowMs: integer('window_ms').notNull(),
  createdAt: integer('created_at').notNull(),
  revokedAt: integer('revoked_at'),
});

/** Facts about the store itself: its random identity, and the secret that signs the twin's cursors. */
export const settings = sqliteTable('settings', { key: text('key').primaryKey(), value: text('value').notNull() });
