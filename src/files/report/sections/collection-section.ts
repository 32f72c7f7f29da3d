import { describeReason } from '../../../analysis/coverage/reasons.ts';
import { pluralize } from '../../../base/text.ts';
import { type CollectionSummary, countCrawls, END_STATE_MEANINGS, LISTED_CRAWLS } from '../../export/collection.ts';
import { type Block, describeDays, type Inline, type Section, type Text } from '../report-content.ts';

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
  const { kinds, requests, firstRequestAt, lastRequestAt, newest } = collection;
  const crawls = countCrawls(collection);
  if (crawls === 0) {
    return [{ type: 'absence', absence: 'not collected', text: 'No crawl of it is recorded in this database.' }];
  }
  const sent: Text =
    firstRequestAt === null || lastRequestAt === null
      ? [`${pluralize(crawls, 'crawl')} sent no request.`]
      : [
          `${pluralize(crawls, 'crawl')} sent ${pluralize(requests, 'request')}, from `,
          { time: firstRequestAt },
          ' to ',
          { time: lastRequestAt },
          '.',
          ...describeFailures(collection),
        ];
  return [
    { type: 'paragraph', text: sent },
    {
      type: 'table',
      caption: 'Crawls by kind, and how they ended',
      columns: [
        { label: 'Kind' },
        ...['Crawls', 'Complete', 'Capped', 'Partial', 'Failed', 'Other', 'Requests', 'New rows'].map((label) => ({
          label,
          isNumber: true,
        })),
        { label: 'First' },
        { label: 'Last' },
      ],
      rows: kinds.map((kind) => [
        kind.kind,
        ...[kind.crawls, kind.complete, kind.capped, kind.partial, kind.failed].map((count) => ({ count })),
        { count: kind.cancelled + kind.unfinished },
        { count: kind.requests },
        { count: kind.newItems },
        formatDate(kind.firstRequestAt),
        formatDate(kind.lastRequestAt),
      ]),
      note: `First and last: the days of the first and the last request. ${END_STATE_MEANINGS} Other: cancelled or unfinished.`,
    },
    {
      type: 'table',
      caption: crawls > newest.length ? `The newest ${LISTED_CRAWLS} crawls` : 'The crawls',
      columns: [
        { label: 'Crawl' },
        { label: 'Kind' },
        { label: 'Target' },
        { label: 'Ended' },
        {
          label: 'Requests',
          isNumber: true,
        },
        {
          label: 'New rows',
          isNumber: true,
        },
        { label: 'Begun' },
      ],
      rows: newest.map((crawl) => [
        String(crawl.id),
        crawl.kind,
        { name: crawl.target },
        crawl.reason === null ? crawl.state : `${crawl.state} (${describeReason(crawl.reason)})`,
        { count: crawl.requests },
        { count: crawl.newItems },
        formatTime(crawl.startedAt),
      ]),
    },
  ];
}

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

const formatTime = (time: string | null): Text => (time === null ? '' : { time });
const formatDate = (time: string | null): Text => (time === null ? '' : { day: time });
