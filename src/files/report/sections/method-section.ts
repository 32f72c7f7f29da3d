import { pluralize } from '#base/text.ts';
import type { CollectionJob, CollectionSummary } from '#files/export/collection.ts';
import type { Block, Section, Text, ReportOrigin } from '#files/report/report.ts';

const METHOD = [
  'trawl sends one request at a time for each list, follows the cursors of the service, and stores the rows of a page, its body ' +
    'and the record of its request in one transaction. It counts a list as complete only if the service itself ended it and every ' +
    'item could be read. An interval of a timeline is complete if pages that follow one another cover it; what lies between such ' +
    'intervals is a gap, whatever number of rows is stored.',
  'Counts, such as likes, are those of the last time when the service showed the item. A change happened after the item was last ' +
    'seen with the old value, and not later than it was first seen with the new one. A follower is counted as lost when two ' +
    'complete lists, one begun after the other, lack the account; a tweet as deleted when the service answers 404 for it.',
];

/** How trawl collected the data, and what limits it. */
export const describeMethod = (collection: CollectionSummary, origin: ReportOrigin): Section => ({
  id: 'method',
  title: 'Method',
  blocks: [
    ...METHOD.map((text): Block => ({ type: 'paragraph', text })),
    ...describeSources(collection),
    { type: 'facts', facts: listFacts(collection, origin) },
  ],
});

function describeSources({ sources }: CollectionSummary): Block[] {
  if (sources.length === 0) return [];
  return [
    {
      type: 'table',
      caption: 'Versions, services and keys that the crawls recorded',
      columns: ['Service', 'trawl', 'Key', 'Crawls', 'From', 'To'].map((label) => ({
        label,
        isNumber: label === 'Crawls',
      })),
      rows: sources.map((source) => [
        { name: source.serviceHost },
        source.trawlVersion,
        { name: source.keyLabel },
        { count: source.crawls },
        { time: source.firstUsedAt },
        { time: source.lastUsedAt },
      ]),
    },
  ];
}

function listFacts(collection: CollectionSummary, { provenance, deleted }: ReportOrigin): (readonly [string, Text])[] {
  const { bodies, bodiesWithHeaders, rejectedItems, droppedValues, jobs } = collection;
  return [
    [
      'Responses',
      bodies === 0
        ? 'No body of a response is stored.'
        : `${pluralize(bodies, 'response')} with their bodies are stored, ${bodiesWithHeaders === bodies ? 'all' : pluralize(bodiesWithHeaders, 'of them', 'of them')} with their headers; the tables can be derived from them again.`,
    ],
    [
      'Unreadable',
      rejectedItems + droppedValues === 0
        ? 'Every item and every field could be read.'
        : `${pluralize(rejectedItems, 'item')} could not be read and are missing; ${pluralize(droppedValues, 'value')} of single fields were left out.`,
    ],
    ['Deleted data', deleted],
    ...jobs.map((job) => [`Job ${job.name}`, describeStatements(job)] as const),
    ['Snapshot', ['All figures are as of ', { time: provenance.snapshotAt }, ', in one read transaction.']],
    ['Database', [{ code: provenance.store.file }, provenance.store.id === null ? '' : `, id ${provenance.store.id}`]],
    ['Command', { code: provenance.command }],
  ];
}

function describeStatements({ purpose, ethicsRef, retention }: CollectionJob): Text {
  const stated = Object.entries({ Purpose: purpose, Approval: ethicsRef, Retention: retention }).flatMap(
    ([title, text]) => (text === null ? [] : [`${title}: `, { name: text }, '. ']),
  );
  return stated.length === 0 ? 'Its file states no purpose, approval or retention.' : stated;
}
