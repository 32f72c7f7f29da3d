/**
 * The tables of the interface specification, word for word. The suites beside this file walk them row by row and ask
 * nothing of `src/service/contract`, which says the same in code.
 */

const table = (text: string): readonly (readonly string[])[] =>
  text
    .trim()
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

/** A row of a table of fields; `row` is how the specification prints it. */
export interface Field {
  readonly row: string;
  readonly name: string;
  readonly type: string;
  readonly note: string;
}

const fields = (text: string): readonly Field[] =>
  table(text).map((cells) => {
    const [name = '', type = '', note = ''] = cells;
    return { row: `| ${cells.join(' | ')} |`, name, type, note };
  });

/** User profile object (returned by the user-profile endpoint as `data`). */
export const USER_PROFILE = fields(`
| type | string |
| userName | string |
| url | string (URL) |
| id | string |
| name | string |
| isBlueVerified | boolean |
| profilePicture | string (URL) |
| coverPicture | string (URL) |
| description | string |
| location | string |
| followers | integer |
| following | integer |
| canDm | boolean |
| createdAt | string (timestamp) |
| favouritesCount | integer |
| hasCustomTimelines | boolean |
| isTranslator | boolean |
| mediaCount | integer |
| statusesCount | integer |`);

/** Tweet object (found at `content.tweet` inside timeline entries). */
export const TWEET = fields(`
| id | string | tweet identifier |
| rest_id | string | present in the tweet-detail response |
| text | string | |
| created_at | string (timestamp) | |
| favorite_count | integer | |
| retweet_count | integer | |
| reply_count | integer | |
| quote_count | integer | |
| has_media | boolean | present in the user-tweets response |
| media | array of media objects | |
| author | author object | present in tweet-detail, search, community-tweets, list-latest-tweets |
| replies | object with \`entries\` (array of timeline entries holding tweets) | tweet-detail only |
| in_reply_to_status_id | string | only on reply tweets (user-tweets-replies) |
| in_reply_to_user_id | string | only on reply tweets |
| in_reply_to_screen_name | string | only on reply tweets |`);

/** "Media object: `type` (string; …), `url` (string, URL), and, in tweet-detail, `width` (integer) and `height` (integer)." */
export const MEDIA = fields(`
| type | string |
| url | string (URL) |
| width | integer | in tweet-detail |
| height | integer | in tweet-detail |`);

/** "Author object: `id` (string), `name` (string), `screen_name` (string); tweet-detail also gives …" */
export const AUTHOR = fields(`
| id | string |
| name | string |
| screen_name | string |
| rest_id | string | tweet-detail also gives |
| profile_image_url | string (URL) | tweet-detail also gives |`);

/** "Reply tweets nested in `replies.entries` carry `id`, `text`, `created_at`, `author`." */
export const NESTED_REPLY = fields(`
| id | string |
| text | string |
| created_at | string (timestamp) |
| author | author object |`);

/** User summary object (in followers and following lists, at `content.user`). */
export const USER_SUMMARY = fields(`
| id | string |
| rest_id | string |
| name | string |
| screen_name | string |
| profile_image_url | string (URL) |
| description | string |
| followers_count | integer |
| following_count | integer |
| verified | boolean |`);

/** "user reference (…): id, rest_id, name, screen_name (all strings)" */
export const USER_REFERENCE = fields(`
| id | string |
| rest_id | string |
| name | string |
| screen_name | string |`);

/** "community (`data.community`): id, name, description (strings)"; the same of a list (`data.list`). */
export const GROUP = fields(`
| id | string |
| name | string |
| description | string |`);

/** "search metadata (`data.search_metadata`): query (string), count (integer)" */
export const SEARCH_METADATA = fields(`
| query | string |
| count | integer |`);

/** Token usage object (token-info `data`). */
export const TOKEN_USAGE = fields(`
| token_type | string |
| app_limit | integer, the quota ceiling |
| remaining | integer, requests left |
| reset_at | string (timestamp), when the quota resets |
| account | object: app_id (string), app_name (string), organization (string) |
| request_history | array of objects: endpoint (string, an endpoint name), timestamp (string, timestamp), status (string) |`);

/** Endpoints: "| # | Path | Parameters | Response \`data\` |". */
export const ENDPOINTS = table(`
| 1 | \`/api/microblog/token-info\` | none | token usage object |
| 2 | \`/api/microblog/user-profile\` | \`screenName\` string, required: the user's screen name | user profile object |
| 3 | \`/api/microblog/user-tweets\` | \`restId\` string, required: user's unique ID; \`cursor\` string, optional: pagination cursor for the next page | \`user.result\` (user reference); \`timeline.instructions[].entries[].content.tweet\` (tweet objects), newest first, followed by a cursor entry |
| 4 | \`/api/microblog/user-tweets-replies\` | \`restId\` string, required: user's unique ID | \`user\` (user reference); \`timeline.instructions[].entries[].content.tweet\`, newest first, containing original tweets and replies |
| 5 | \`/api/microblog/followers\` | \`restId\` string, required: user's unique ID | \`user\` (user reference); \`followers.timeline.instructions[]\` each with \`entries[].content.user\` (user summary) and \`cursor\` |
| 6 | \`/api/microblog/following\` | \`restId\` string, required: user's unique ID | \`user\` (user reference); \`following.timeline.instructions[]\` each with \`entries[].content.user\` (user summary) and \`cursor\` |
| 7 | \`/api/microblog/tweet-detail\` | \`restId\` string, required: the tweet's unique ID | \`tweet\` (tweet object with author, media, replies) |
| 8 | \`/api/microblog/search\` | \`rawQuery\` string, required: search string | \`search_metadata\`; \`timeline.instructions[].entries[].content.tweet\`, sorted by relevance |
| 9 | \`/api/microblog/community-tweets\` | \`communityId\` string, required: community's unique ID | \`community\`; \`tweets.instructions[].entries[].content.tweet\`, newest first |
| 10 | \`/api/microblog/list-latest-tweets\` | \`listId\` string, required: unique ID of a public list | \`list\`; \`tweets.entries[].content.tweet\` (no \`instructions\` level) |`);

/** Errors, the row of 404, taken apart at its full stops. */
export const NOT_FOUND = [
  ['user-profile', 'user does not exist'],
  ['user-tweets', 'user does not exist'],
  ['user-tweets', 'or has no tweets'],
  ['user-tweets-replies', 'user does not exist'],
  ['user-tweets-replies', 'or has no tweets'],
  ['followers', 'user does not exist'],
  ['following', 'user does not exist'],
  ['tweet-detail', 'tweet does not exist or was deleted'],
  ['community-tweets', 'community does not exist or caller has no access'],
  ['list-latest-tweets', 'list does not exist or is not public'],
] as const;
