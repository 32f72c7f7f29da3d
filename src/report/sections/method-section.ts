import type { CollectionSummary } from '../../export/collection.ts';
import { pluralize } from '../../text.ts';
import type { Block, Section, Text } from '../content.ts';
import type { ReportOrigin } from '../report.ts';

/** How trawl collected the data, and what limits it. */
export function describeMethod(
  collection: CollectionSummary,
  origin: ReportOrigin,
  notes: readonly Text[] = [],
): Section {
  return {
    id: 'method',
    title: 'Method',
    blocks: [
      {
        type: 'paragraph',
        text:
          'trawl sends one request at a time for each list, follows the cursors of the service, and stores the rows of a ' +
          'page, its body and the record of its request in one transaction. It counts a list as complete only if the service ' +
          'itself ended it and every item could be read. An interval of a timeline is complete if pages that follow one ' +
          'another cover it; what lies between such intervals is a gap, whatever number of rows is stored.',
      },
      {
        type: 'paragraph',
        text:
          'Counts, such as likes, are those of the last time when the service showed the item; they may have changed since. ' +
          'A change happened after the item was last seen with the old value, and not later than it was first seen with the ' +
          'new one. A follower is counted as lost when two complete lists, one begun after the other, lack the account; a ' +
          'tweet as deleted when the service answers 404 for it.',
      },
      ...describeSources(collection),
      { type: 'facts', facts: listFacts(collection, origin) },
      ...(notes.length === 0 ? [] : [{ type: 'list', items: notes } as const]),
    ],
  };
}

function describeSources({ sources }: CollectionSummary): Block[] {
  if (sources.length === 0) return [];
  return [
    {
      type: 'table',
      caption: 'Versions, services and keys that the crawls recorded',
      columns: [
        { label: 'Service' },
        { label: 'trawl' },
        { label: 'Key' },
        {
          label: 'Crawls',
          isNumber: true,
        },
        { label: 'From' },
        { label: 'To' },
      ],
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

function listFacts(collection: CollectionSummary, origin: ReportOrigin): (readonly [string, Text])[] {
  const { bodies, bodiesWithHeaders, rejectedItems, droppedValues, jobs } = collection;
  const { provenance, quota, deleted } = origin;
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
    [
      'Quota',
      quota === undefined
        ? 'The service has not reported a quota.'
        : [
            `${pluralize(quota.limit, 'request')} per period, as the service reported on `,
            { day: quota.sampledAt },
            '.',
          ],
    ],
    ['Deleted data', deleted],
    ...jobs.flatMap((job): (readonly [string, Text])[] => [
      [
        `Job ${job.name}`,
        [job.purpose, job.ethicsRef, job.retention].every((each) => each === null)
          ? 'Its file states no purpose, approval or retention.'
          : [
              ...(job.purpose === null ? [] : ['Purpose: ', { name: job.purpose }, '. ']),
              ...(job.ethicsRef === null ? [] : ['Approval: ', { name: job.ethicsRef }, '. ']),
              ...(job.retention === null ? [] : ['Retention: ', { name: job.retention }, '.']),
            ],
      ],
    ]),
    ['Snapshot', ['All figures are as of ', { time: provenance.snapshotAt }, ', in one read transaction.']],
    ['Database', [{ code: provenance.store.file }, provenance.store.id === null ? '' : `, id ${provenance.store.id}`]],
    ['Command', { code: provenance.command }],
  ];
}
