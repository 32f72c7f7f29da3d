import type { EvidenceAge } from '#analysis/recheck/evidence-age.ts';
import { formatCount } from '#base/text.ts';
import { toIso } from '#base/units.ts';
import { type CollectionSummary, END_STATE_MEANINGS } from '#files/export/collection.ts';
import type { ListCounts } from '#files/export/dataset/count-lists.ts';
import type { DatasetMetadata } from '#files/export/dataset/metadata.ts';
import type { DatasetFile } from '#files/export/dataset/written-file.ts';
import type { PseudonymFacts } from '#files/export/pseudonyms/pseudonyms.ts';
import type { Selection } from '#files/export/row-selection.ts';
import type { Provenance } from '#files/export/sidecar.ts';
import type { HiddenRows } from '#files/export/table-query.ts';
import { escapeText, formatRows } from './markdown-text.ts';

/** What the README of a dataset says. */
export interface ReadmeFacts {
  readonly metadata: DatasetMetadata;
  readonly provenance: Provenance;
  readonly collection: CollectionSummary;
  readonly selection: Selection;
  readonly hidden: HiddenRows;
  readonly deletions: EvidenceAge;
  readonly lists: readonly ListCounts[];
  readonly files: readonly DatasetFile[];
  /** A dataset without content: nothing in the README names anybody. */
  readonly isIdsOnly: boolean;
  /** Undefined for a dataset without pseudonyms. */
  readonly pseudonyms?: PseudonymFacts | undefined;
}

/** `README.md`: what the dataset is, when and how it was collected, what it has, and what it lacks. */
export function formatReadme(facts: ReadmeFacts): string {
  const { metadata, isIdsOnly, pseudonyms } = facts;
  const sections: Readonly<Record<string, readonly string[]>> = {
    Files: describeFiles(facts),
    ...(pseudonyms && { Pseudonyms: describePseudonymFacts(pseudonyms) }),
    'How it was collected': describeCollection(facts),
    'Purpose, ethics and retention': [list(describeStatements(metadata))],
    'Which rows it has': describeSelection(facts),
    'How complete it is': describeCompleteness(facts),
    'What it does not contain': describeLimits(facts),
    ...(isIdsOnly ? { 'How to get the content': [HYDRATION] } : { 'How to read it': [READING, PERSONAL] }),
  };
  const body = Object.entries(sections).map(([title, paragraphs]) => `## ${title}\n\n${paragraphs.join('\n\n')}\n`);
  return [`# ${escapeText(metadata.title)}\n`, `${describeDataset(facts)}\n`, ...body].join('\n');
}

const list = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n');

/** One paragraph about the dataset, also for other files. */
export function describeDataset({ provenance, collection, isIdsOnly }: ReadmeFacts): string {
  const { sources, firstRequestAt, lastRequestAt } = collection;
  const hosts = [...new Set(sources.map(({ serviceHost }) => escapeText(serviceHost)))].join(', ');
  const what = isIdsOnly ? 'Ids of tweets and accounts of a microblog' : 'Data of a microblog';
  const period =
    firstRequestAt === null
      ? 'The store has no requests of crawls: its rows come from another source, such as a synthetic world.'
      : `Collected from ${hosts === '' ? 'its query service' : `the query service at ${hosts}`} between ${firstRequestAt} and ${lastRequestAt}.`;
  return `${what}. ${period} All files show the store as of ${provenance.snapshotAt}. Times are UTC.`;
}

const describeFiles = ({ files, isIdsOnly }: ReadmeFacts): string[] => [
  formatRows(
    ['file', 'rows', 'content'],
    files.map(({ file, rows, title }) => [`\`${file}\``, formatCount(rows), title]),
  ),
  `${isIdsOnly ? '' : '`DATA_DICTIONARY.md` describes every column. '}\`datapackage.json\` describes the files for programs, and ` +
    '`CITATION.cff` says how to cite the dataset. `sha256sum -c SHA256SUMS` checks that the files are unchanged.',
];

const describePseudonymFacts = ({ method, keyFingerprint, texts, risks }: PseudonymFacts): string[] => [
  `The people in the data have pseudonyms. ${method} ${texts}`,
  `Fingerprint of the key: \`${keyFingerprint}\`. Datasets with the same one can be joined.`,
  'Pseudonyms make it harder to find a person, not impossible. These risks remain:',
  list(risks),
];

const STATE_COLUMNS = [
  'crawls',
  'complete',
  'capped',
  'partial',
  'failed',
  'cancelled',
  'unfinished',
  'requests',
] as const;

function describeCollection({ collection, provenance, isIdsOnly }: ReadmeFacts): string[] {
  const { kinds, sources } = collection;
  if (kinds.length === 0) return [`Written by trawl ${provenance.version}. No crawls are recorded.`];
  const versions = [...new Set(sources.map(({ trawlVersion }) => trawlVersion))].join(', ');
  return [
    `By crawls of the service${versions === '' ? '' : ` with trawl ${versions}`}; written by trawl ${provenance.version}.` +
      (isIdsOnly ? '' : ' `crawls.csv` has every crawl.'),
    formatRows(
      ['kind', ...STATE_COLUMNS],
      kinds.map((counts) => [counts.kind, ...STATE_COLUMNS.map((column) => formatCount(counts[column]))]),
    ),
    END_STATE_MEANINGS,
  ];
}

const describeStatements = ({ statements: { purpose, ethicsRef, retention } }: DatasetMetadata): string[] =>
  Object.entries({ Purpose: purpose, Ethics: ethicsRef, Retention: retention }).map(
    ([title, texts]) => `${title}: ${texts.length === 0 ? 'not stated' : texts.map(escapeText).join('; ')}`,
  );

function describeSelection({ selection, hidden, deletions }: ReadmeFacts): string[] {
  const { accountRestIds: accounts, since, until, includeDeleted } = selection;
  const conditions = [
    accounts &&
      `of ${formatCount(accounts.length)} selected accounts, and of the accounts at the other end of their follow edges`,
    since !== undefined && `from ${toIso(since)} on`,
    until !== undefined && `before ${toIso(until)}`,
  ].filter(Boolean);
  return [
    conditions.length === 0
      ? 'All rows of the store.'
      : `Rows of the store ${conditions.join('; ')}. Times are those of the items.`,
    includeDeleted === true ? 'Included, and removed from the service:' : 'Left out:',
    list([
      `tweets that the service reports as deleted: ${formatCount(hidden.deletedTweets)}; ${deletions.sentence}`,
      `accounts that the service no longer shows, with their tweets, edges and crawls: ${formatCount(hidden.unavailableAccounts)}`,
    ]),
  ];
}

function describeCompleteness({ lists, isIdsOnly }: ReadmeFacts): string[] {
  if (lists.length === 0) return ['Nothing is known about it, since no lists were crawled.'];
  return [
    'A list is complete if there is evidence that the whole list, as of one moment, is stored. Searches, replies, communities and lists are never proven complete. ' +
      'Pruned items were collected, and removed from the store before this dataset was written: they are not missing, and their lists are not complete.',
    ...(isIdsOnly
      ? []
      : [
          '`completeness.csv` has a row for each list; `coverage.csv` has the stored intervals of timelines and the gaps between and below them.',
        ]),
    formatRows(
      ['kind', 'lists', 'complete', 'intervals', 'gaps', 'pruned items'],
      lists.map(({ kind, ...counts }) => [
        kind,
        ...[counts.lists, counts.complete, counts.intervals, counts.gaps, counts.pruned].map(formatCount),
      ]),
    ),
  ];
}

const describeLimits = ({ isIdsOnly }: ReadmeFacts): string[] => [
  `${isIdsOnly ? 'Texts, names, counts, times and edges' : 'API keys and the bodies of responses'} are not in the dataset. The service does not show:`,
  list(LIMITS),
];

/** Texts of the README that are the same in all datasets. */

/** What the service does not show. docs/datasets.md has the same as questions. */
const LIMITS: readonly string[] = [
  'who retweeted, quoted or liked a tweet (only the counts), and which tweet a retweet or quote repeats;',
  'when an account began to follow another (`first_seen_at` is the time of the first list with the edge), and who had stopped before the first crawl;',
  'tweets that were deleted before the first crawl, and what tweets and profiles said before it;',
  'when exactly a tweet was deleted or an edge ended, by whom and why: the times are those of the observations before and after;',
  'impressions, views, bookmarks, languages, devices and places of tweets, polls and link previews;',
  'what private accounts post, parts of their lists, and whole lists of followers of very large accounts;',
  'all tweets that match a search (one page by relevance), all replies to a tweet, and the members of communities and lists.',
];

const PERSONAL =
  'The data is about people. Check the terms of the service and the law before you pass it on. `trawl export dataset --ids-only` writes a dataset without content.';

/** How to read the tables. */
const READING = `Parquet files have types, and ids are text in them: \`pd.read_parquet\`, \`arrow::read_parquet\` and DuckDB read them as they are. Ids in CSV
files have more digits than a double has. R, pandas and Excel change them, unless they are told to read text:

\`\`\`python
pd.read_csv('data/users.csv', dtype={'rest_id': str}, keep_default_na=False, na_values=[''])
\`\`\`

\`\`\`r
read.csv("data/users.csv", colClasses = "character", na.strings = "", encoding = "UTF-8")
\`\`\``;

/** How to fetch the content of ids. */
const HYDRATION = `With trawl and a key for the service:

\`\`\`sh
trawl crawl tweet --from-file tweet_ids.txt
trawl crawl profile --from-file user_ids.txt
\`\`\`

The first command sends a request per tweet, the second one or two per account; \`trawl plan\` with the same arguments estimates the cost. Tweets and accounts that are gone by then are not found. Follow
edges, earlier values and the results of searches cannot be restored from ids.`;
