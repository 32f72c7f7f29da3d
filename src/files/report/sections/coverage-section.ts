import { formatScore, isComparedList } from '#analysis/account-counts.ts';
import type {
  AccountCoverage,
  AccountListCoverage,
  CoverageSegment,
  OrderedListCoverage,
} from '#analysis/coverage/coverage-model.ts';
import { DAY } from '#base/clock.ts';
import { pluralize } from '#base/text.ts';
import { toIso } from '#base/units.ts';
import type { Block, Section, Text } from '#files/report/report.ts';

/** How complete the lists of an account are. */
export function describeCoverage({ orderedLists, accountLists }: AccountCoverage): Section {
  return {
    id: 'completeness',
    title: 'How complete it is',
    blocks: [
      {
        type: 'table',
        caption: 'Stored rows beside the count of the profile',
        columns: [
          { label: 'List' },
          ...['Stored', 'Reported', 'Share'].map((label) => ({ label, isNumber: true })),
          { label: 'Reported on' },
          { label: 'Why they differ' },
        ],
        rows: [...orderedLists, ...accountLists].map((list): Text[] => {
          const { kind, label, stored, reported, reportedAt } = list;
          const count = reported === null ? 'unknown' : { count: reported };
          return [
            label,
            { count: stored },
            isComparedList(kind) ? count : '',
            formatScore({ stored, reported }),
            reportedAt === null ? '' : { day: toIso(reportedAt) },
            list.explanation,
          ];
        }),
        note: 'The count of a profile is no measure of completeness: it may be stale, and it includes items that lists do not show. The periods below are evidence.',
      },
      ...orderedLists.flatMap(describeOrderedList),
      { type: 'heading', text: 'Followers and followed accounts' },
      ...accountLists.map(describeAccountList),
    ],
  };
}

function describeOrderedList(list: OrderedListCoverage): Block[] {
  const { label, axis, segments } = list;
  const heading: Block = { type: 'heading', text: label };
  if (axis === null) return [heading, describeMissingList(list)];
  return [
    heading,
    {
      type: 'axis',
      caption: [
        axis.isFromKnown ? 'From the creation of the account on ' : 'From the oldest known time on ',
        { day: toIso(axis.from) },
        ' to the last check on ',
        { time: toIso(axis.to) },
        '.',
      ],
      list: { axis, segments, label: describeLengths(segments) },
    },
    describeSegments(label, segments),
  ];
}

/** A list that was never read, or that the service does not show. */
const describeMissingList = ({
  state,
  label,
  sentence,
  command,
}: OrderedListCoverage | AccountListCoverage): Block => ({
  type: 'absence',
  absence: state === 'not collected' ? state : 'not available',
  text: `${label}: ${sentence}.`,
  command: command === null ? undefined : `trawl ${command}`,
});

/** The periods of a list as a table. */
export function describeSegments(label: string, segments: readonly CoverageSegment[]): Block {
  return {
    type: 'table',
    caption: `${label}: periods, oldest first`,
    columns: [{ label: 'From' }, { label: 'To' }, { label: 'State' }],
    rows: segments.map((segment) => {
      // Short periods need the time of the day.
      const isShort = segment.to - segment.from < 2 * DAY;
      const [from, to] = [toIso(segment.from), toIso(segment.to)];
      const crawl = segment.crawlId === null ? '' : ` (crawl ${segment.crawlId})`;
      return [...(isShort ? [{ time: from }, { time: to }] : [{ day: from }, { day: to }]), segment.sentence + crawl];
    }),
  };
}

/** What is known about each list, in a line. */
export const summariseCoverage = ({ orderedLists, accountLists }: AccountCoverage): Text[] => [
  ...orderedLists.map(({ label, sentence, axis, segments }): Text => {
    const name = { strong: `${label}: ` };
    if (axis === null) return [name, `${sentence}.`];
    const [from, to] = [{ day: toIso(axis.from) }, { day: toIso(axis.to) }];
    return [name, from, ' to ', to, `: ${sentence} (${describeLengths(segments)}).`];
  }),
  ...accountLists.map(({ label, sentence }): Text => [{ strong: `${label}: ` }, `${sentence}.`]),
];

/** The states of segments after a length of time. */
const LENGTHS: Readonly<Record<CoverageSegment['state'], string>> = {
  complete: 'complete',
  gap: 'in gaps',
  unknown: 'unknown',
  pruned: 'pruned',
};

/** The lengths of a time by state: `363 days complete, 2,219 days in gaps`. A share would read as one of the tweets. */
const describeLengths = (segments: readonly CoverageSegment[]): string =>
  Object.entries(LENGTHS)
    .flatMap(([state, words]) => {
      const own = segments.filter((segment) => segment.state === state);
      const length = own.reduce((sum, { from, to }) => sum + (to - from), 0);
      if (length === 0) return [];
      return [`${length < DAY ? 'less than a day' : pluralize(Math.round(length / DAY), 'day')} ${words}`];
    })
    .join(', ');

function describeAccountList(list: AccountListCoverage): Block {
  const { state, label, sentence, counted } = list;
  if (state === 'not collected' || state === 'not available') return describeMissingList(list);
  return { type: 'paragraph', text: [{ strong: `${label}: ` }, `${sentence}; ${counted}.`] };
}
