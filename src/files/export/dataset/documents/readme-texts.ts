/** Texts of the README that are the same in all datasets. */

/** What the service does not show. docs/datasets.md has the same as questions. */
export const LIMITS: readonly string[] = [
  'who retweeted, quoted or liked a tweet (only the counts), and which tweet a retweet or quote repeats;',
  'when an account began to follow another (`first_seen_at` is the time of the first list with the edge), and who had stopped before the first crawl;',
  'tweets that were deleted before the first crawl, and what tweets and profiles said before it;',
  'when exactly a tweet was deleted or an edge ended, by whom and why: the times are those of the observations before and after;',
  'impressions, views, bookmarks, languages, devices and places of tweets, polls and link previews;',
  'what private accounts post, parts of their lists, and whole lists of followers of very large accounts;',
  'all tweets that match a search (one page by relevance), all replies to a tweet, and the members of communities and lists.',
];

export const PERSONAL =
  'The data is about people. Check the terms of the service and the law before you pass it on. `trawl export dataset --ids-only` writes a dataset without content.';

/** How to read the tables. */
export const READING = `Parquet files have types, and ids are text in them: \`pd.read_parquet\`, \`arrow::read_parquet\` and DuckDB read them as they are. Ids in CSV
files have more digits than a double has. R, pandas and Excel change them, unless they are told to read text:

\`\`\`python
pd.read_csv('data/users.csv', dtype={'rest_id': str}, keep_default_na=False, na_values=[''])
\`\`\`

\`\`\`r
read.csv("data/users.csv", colClasses = "character", na.strings = "", encoding = "UTF-8")
\`\`\``;

/** How to fetch the content of ids. */
export const HYDRATION = `With trawl and a key for the service:

\`\`\`sh
trawl crawl tweet --from-file tweet_ids.txt
trawl crawl profile --from-file user_ids.txt
\`\`\`

The first command sends a request per tweet, the second one or two per account; \`trawl plan\` with the same arguments estimates the cost. Tweets and accounts that are gone by then are not found. Follow
edges, earlier values and the results of searches cannot be restored from ids.`;
