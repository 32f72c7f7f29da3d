import type { EvidenceAge } from '../../../analysis/recheck/evidence-age.ts';
import type { PseudonymFacts } from '../../pseudonyms/describe-pseudonyms.ts';
import type { Selection } from '../../selection.ts';
import type { Provenance } from '../../sidecar.ts';
import type { HiddenRows } from '../../table-query.ts';
import type { Collection, ListCounts } from '../collection.ts';
import type { DatasetMetadata } from '../metadata.ts';
import { escapeText, formatNumber, formatRows } from './markdown.ts';
import { HYDRATION, LIMITS, PERSONAL, PSEUDONYMS_IN_CSV, READING, STATES } from './readme-texts.ts';

/** What the README of a dataset says. */
export interface ReadmeFacts {
  readonly metadata: DatasetMetadata;
  readonly provenance: Provenance;
  readonly collection: Collection;
  readonly selection: Selection;
  readonly hidden: HiddenRows;
  readonly deletions: EvidenceAge;
  readonly lists: readonly ListCounts[];
  readonly files: readonly { readonly file: string; readonly rows: number; readonly description: string }[];
  /** A dataset without content: nothing in the README names anybody. */
  readonly isIdsOnly: boolean;
  /** Undefined for a dataset without pseudonyms. */
  readonly pseudonyms?: PseudonymFacts | undefined;
}

/** `README.md`: what the dataset is, when and how it was collected, what it has, and what it lacks. */
export function formatReadme(facts: ReadmeFacts): string {
  const sections: readonly (readonly [title: string, text: string])[] = [
    ['Files', describeFiles(facts)],
    ...(facts.pseudonyms ? [['Pseudonyms', describePseudonymFacts(facts.pseudonyms)] as const] : []),
    ['How it was collected', describeCollection(facts)],
    ['Purpose, ethics and retention', describeStatements(facts)],
    ['Which rows it has', describeSelection(facts)],
    ['How complete it is', describeCompleteness(facts)],
    ['What it does not contain', describeLimits(facts)],
    facts.isIdsOnly ? ['How to get the content', HYDRATION] : ['How to read it', describeReading(facts)],
  ];
  const body = sections.map(([title, text]) => `## ${title}\n\n${text}\n`).join('\n');
  return `# ${escapeText(facts.metadata.title)}\n\n${describeDataset(facts)}\n\n${body}`;
}

/** One paragraph about the dataset, also for other files. */
export function describeDataset({ provenance, collection, isIdsOnly }: ReadmeFacts): string {
  const { hosts, firstAt, lastAt } = collection;
  const what = isIdsOnly ? 'Ids of tweets and accounts of a microblog' : 'Data of a microblog';
  const source = hosts.length === 0 ? 'its query service' : `the query service at ${hosts.map(escapeText).join(', ')}`;
  const period =
    firstAt === null
      ? 'The store has no crawls: its rows come from another source, such as a synthetic world.'
      : `Collected from ${source} between ${firstAt} and ${lastAt}.`;
  return `${what}. ${period} All files show the store as of ${provenance.snapshotAt}. Times are UTC.`;
}

const describeFiles = ({ files, isIdsOnly }: ReadmeFacts): string =>
  [
    formatRows(
      ['file', 'rows', 'content'],
      files.map(({ file, rows, description }) => [`\`${file}\``, formatNumber(rows), description]),
    ),
    '',
    `${isIdsOnly ? '' : '`DATA_DICTIONARY.md` describes every column. '}\`datapackage.json\` describes the files for programs, and ` +
      '`CITATION.cff` says how to cite the dataset. `sha256sum -c SHA256SUMS` checks that the files are unchanged.',
  ].join('\n');

const describePseudonymFacts = ({ method, keyFingerprint, texts, risks }: PseudonymFacts): string =>
  [
    `The people in the data have pseudonyms. ${method} ${texts}`,
    '',
    `Fingerprint of the key: \`${keyFingerprint}\`. Datasets with the same one can be joined.`,
    '',
    'Pseudonyms make it harder to find a person, not impossible. These risks remain:',
    '',
    ...risks.map((risk) => `- ${risk}`),
  ].join('\n');

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

function describeCollection({ collection, provenance, isIdsOnly, pseudonyms }: ReadmeFacts): string {
  const { crawls, versions } = collection;
  if (crawls.length === 0) return `Written by trawl ${provenance.version}. No crawls are recorded.`;
  return [
    `By crawls of the service${versions.length === 0 ? '' : ` with trawl ${versions.join(', ')}`}; written by trawl ${provenance.version}.`,
    ...(isIdsOnly
      ? []
      : [`\`crawls.csv\` has every crawl${pseudonyms ? '' : ', and `provenance.json` the SQL of each table'}.`]),
    '',
    formatRows(
      ['kind', ...STATE_COLUMNS],
      crawls.map((counts) => [counts.kind, ...STATE_COLUMNS.map((column) => formatNumber(counts[column]))]),
    ),
    '',
    STATES,
  ].join('\n');
}

const describeStatements = ({ metadata: { statements } }: ReadmeFacts): string =>
  (
    [
      ['Purpose', statements.purpose],
      ['Ethics', statements.ethicsRef],
      ['Retention', statements.retention],
    ] as const
  )
    .map(([title, texts]) => `- ${title}: ${texts.length === 0 ? 'not stated' : texts.map(escapeText).join('; ')}`)
    .join('\n');

function describeSelection({ selection, hidden, deletions, isIdsOnly, pseudonyms }: ReadmeFacts): string {
  const { accountRestIds: accounts, since, until, includeDeleted } = selection;
  const conditions = [
    ...(accounts === undefined
      ? []
      : [
          `of ${formatNumber(accounts.length)} selected accounts${isIdsOnly || pseudonyms ? '' : ' (`provenance.json` has their ids)'}, and of the accounts at the other end of their follow edges`,
        ]),
    ...(since === undefined ? [] : [`from ${new Date(since).toISOString()} on`]),
    ...(until === undefined ? [] : [`before ${new Date(until).toISOString()}`]),
  ];
  const counts = [
    `tweets that the service reports as deleted: ${formatNumber(hidden.deletedTweets)}; ${deletions.sentence}`,
    `accounts that the service no longer shows, with their tweets, edges and crawls: ${formatNumber(hidden.unavailableAccounts)}`,
  ];
  return [
    conditions.length === 0
      ? 'All rows of the store.'
      : `Rows of the store ${conditions.join('; ')}. Times are those of the items.`,
    '',
    includeDeleted === true ? 'Included, and removed from the service:' : 'Left out:',
    '',
    ...counts.map((count) => `- ${count}`),
  ].join('\n');
}

function describeCompleteness({ lists, isIdsOnly }: ReadmeFacts): string {
  if (lists.length === 0) return 'Nothing is known about it, since no lists were crawled.';
  return [
    'A list is complete if there is evidence that the whole list, as of one moment, is stored. Searches, replies, communities and lists are never proven complete.',
    ...(isIdsOnly
      ? []
      : [
          '`completeness.csv` has a row for each list; `coverage.csv` has the stored intervals of timelines and the gaps between and below them.',
        ]),
    '',
    ...(lists.some(({ pruned }) => pruned > 0)
      ? [
          'Pruned items were collected, and removed from the store before this dataset was written: they are not missing, and their lists are not complete.',
          '',
        ]
      : []),
    formatRows(
      ['kind', 'lists', 'complete', 'intervals', 'gaps', 'pruned items'],
      lists.map(({ kind, ...counts }) => [
        kind,
        ...[counts.lists, counts.complete, counts.intervals, counts.gaps, counts.pruned].map(formatNumber),
      ]),
    ),
  ].join('\n');
}

const describeLimits = ({ isIdsOnly }: ReadmeFacts): string =>
  [
    isIdsOnly
      ? 'Content: texts, names, counts, times and edges are not in the dataset. The service does not show:'
      : 'API keys and the bodies of responses are not in the dataset. The service does not show:',
    '',
    ...LIMITS.map((limit) => `- ${limit}`),
  ].join('\n');

function describeReading({ files, pseudonyms }: ReadmeFacts): string {
  const format = files.some(({ file }) => file.endsWith('.parquet')) ? 'parquet' : 'csv';
  return `${pseudonyms && format === 'csv' ? PSEUDONYMS_IN_CSV : READING[format]}\n\n${PERSONAL}`;
}
