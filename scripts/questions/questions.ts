/** A research question, and the command that answers it. */
export interface Question {
  readonly question: string;
  /** What to know about the answer. */
  readonly reading: string;
  /** The arguments of `trawl`. A chart is the file after `-o`. */
  readonly command: readonly string[];
}

const ask = (name: string, ...args: readonly string[]): readonly string[] => ['query', 'run', name, ...args];

export const QUESTIONS: readonly Question[] = [
  {
    question: 'How did the audience of an account grow?',
    reading:
      'A point is the last number of followers that the service reported in a week. With `--period day`, the chart has points on the days of the crawls only, and no line between them.',
    command: ask('followers-over-time', '--account', 'HarbourNews', '--period', 'week', '-o', 'followers.svg'),
  },
  {
    question: 'How many followers did it gain and lose?',
    reading:
      'Two complete lists of followers show who came, and three show who went: a follower is lost when two lists in a row lack it. The first week has one list, which shows no change. The numbers of the last week may still grow: it was not over, and no list has confirmed its losses.',
    command: ask('followers-gained-and-lost', '--account', 'HarbourNews', '--period', 'week', '-o', 'changes.svg'),
  },
  {
    question: 'Do two accounts share their audience?',
    reading: 'The lists of followers of both accounts are complete, so that the shares are those of the service.',
    command: ask('audience-overlap', '--account', 'HarbourNews', '--other', 'nightsky_now'),
  },
  {
    question: 'How much does an account write?',
    reading:
      'The timeline is complete, so that a month without a column is a month without original tweets. The list of replies shows one page only: before its oldest tweet, the number of replies is the least that there are, and its columns are hatched. The last month is not over.',
    command: ask('tweets-per-period', '--account', 'sidetwo', '--period', 'month', '-o', 'tweets.svg'),
  },
  {
    question: 'At which hours does it write?',
    reading: 'All hours are in UTC. An hour without tweets is 0, since the timeline was observed as a whole.',
    command: ask('activity-by-hour', '--account', 'sidetwo', '-o', 'hours.svg'),
  },
  {
    question: 'Which hashtags were used, and when?',
    reading:
      'The three most frequent hashtags of the stored tweets. These are the tweets of six accounts, and no sample of the service.',
    command: ask(
      'hashtags-per-period',
      '--since',
      '2025-01-01',
      '--period',
      'month',
      '--limit',
      '3',
      '-o',
      'hashtags.svg',
    ),
  },
  {
    question: 'Which hashtags go together?',
    reading: 'Hashtags in the same tweets as the given one.',
    command: ask('cohashtags', '--tag', '#nowplaying', '--limit', '5'),
  },
  {
    question: 'Who replies to whom, and how fast?',
    reading:
      'The median time is that of replies to stored tweets. The note on stderr says what the rows cannot show: the service shows one page of replies of each account.',
    command: ask('who-replies-to-whom', '--account', 'sidetwo', '--limit', '8'),
  },
  {
    question: 'When did an account delete and edit tweets?',
    reading:
      'Each crawl with `--full-refresh` reads the whole timeline again. A tweet that it lacks is requested once more; a 404 confirms the deletion.',
    command: ask('deletions-and-edits', '--account', 'sidetwo', '--period', 'week', '-o', 'deletions.svg'),
  },
  {
    question: 'How complete is the collection, and what did it cost?',
    reading:
      'Lists of replies are never proven to be complete. `reported` is the count of the profile: that of tweets includes replies, so that the original tweets of a complete timeline are fewer; that of followers is lower than the stored ones while a second list has not confirmed those that are missing.',
    command: ask('completeness-and-cost', '--limit', '12'),
  },
];
