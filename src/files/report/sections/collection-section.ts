import { describeStopReason } from '#analysis/crawls/end-reasons.ts';
import { pluralize } from '#base/text.ts';
import { type CollectionSummary, countCrawls, END_STATE_MEANINGS, LISTED_CRAWLS } from '#files/export/collection.ts';
import {
  type Block,
  describeDays,
  type Inline,
  type Section,
  type TableColumn,
  type Text,
} from '#files/report/report.ts';

/** What was collected, when, and by how many requests. */
export function describeCollection(collection: CollectionSummary): Section {
  return { id: 'collection', title: 'What was collected, and when', blocks: listBlocks(collection) };
}

/** The line of a page that says when its data was collected, and as of when it is shown. */
export const describeAccess = (
  { firstRequestAt, lastRequestAt, requests }: CollectionSummary,
  snapshotAt: string,
): readonly Inline[] => [
  ...(firstRequestAt === null || lastRequestAt === null
    ? ['No request for it is recorded']
    : ['Collected ', ...describeDays(firstRequestAt, lastRequestAt), ` by ${pluralize(requests, 'request')}`]),
  ' · as of ',
  { time: snapshotAt },
];

function listBlocks(collection: CollectionSummary): Block[] {
  if (countCrawls(collection) === 0)
    return [{ type: 'absence', absence: 'not collected', text: 'No crawl of it is recorded in this database.' }];
  return [
    { type: 'paragraph', text: describeRequests(collection) },
    tabulateKinds(collection),
    tabulateCrawls(collection),
  ];
}

function describeRequests(collection: CollectionSummary): Text {
  const { requests, firstRequestAt, lastRequestAt } = collection;
  const crawls = pluralize(countCrawls(collection), 'crawl');
  if (firstRequestAt === null || lastRequestAt === null) return `${crawls} sent no request.`;
  const times: Inline[] = [{ time: firstRequestAt }, ' to ', { time: lastRequestAt }, '.'];
  return [`${crawls} sent ${pluralize(requests, 'request')}, from `, ...times, ...describeFailures(collection)];
}

const numberColumns = (...labels: readonly string[]): TableColumn[] =>
  labels.map((label) => ({ label, isNumber: true }));

const tabulateKinds = ({ kinds }: CollectionSummary): Block => ({
  type: 'table',
  caption: 'Crawls by kind, and how they ended',
  columns: [
    { label: 'Kind' },
    ...numberColumns('Crawls', 'Complete', 'Capped', 'Partial', 'Failed', 'Other', 'Requests', 'New rows'),
    { label: 'First' },
    { label: 'Last' },
  ],
  rows: kinds.map(({ cancelled, unfinished, ...kind }) => [
    kind.kind,
    ...[kind.crawls, kind.complete, kind.capped, kind.partial, kind.failed].map((count) => ({ count })),
    ...[cancelled + unfinished, kind.requests, kind.newItems].map((count) => ({ count })),
    ...[kind.firstRequestAt, kind.lastRequestAt].map((day) => (day === null ? '' : { day })),
  ]),
  note: `First and last: the days of the first and the last request. ${END_STATE_MEANINGS} Other: cancelled or unfinished.`,
});

const tabulateCrawls = (collection: CollectionSummary): Block => ({
  type: 'table',
  caption: countCrawls(collection) > collection.newest.length ? `The newest ${LISTED_CRAWLS} crawls` : 'The crawls',
  columns: [
    ...['Crawl', 'Kind', 'Target', 'Ended'].map((label) => ({ label })),
    ...numberColumns('Requests', 'New rows'),
    { label: 'Begun' },
  ],
  rows: collection.newest.map(({ id, kind, target, state, reason, requests, newItems, startedAt }) => [
    String(id),
    kind,
    { name: target },
    reason === null ? state : `${state} (${describeStopReason(reason)})`,
    { count: requests },
    { count: newItems },
    startedAt === null ? '' : { time: startedAt },
  ]),
});

function describeFailures({ failedRequests, notFoundRequests, unknownRequests }: CollectionSummary): string[] {
  return [
    ...(failedRequests > 0 ? [` ${pluralize(failedRequests, 'request')} had no response or an error status.`] : []),
    ...(notFoundRequests > 0
      ? [` The answer to ${pluralize(notFoundRequests, 'request')} was 404: not found, or an empty list.`]
      : []),
    ...(unknownRequests > 0
      ? [
          ` Workers that were killed sent at most ${pluralize(unknownRequests, 'more request')}, which are not recorded.`,
        ]
      : []),
  ];
}
