import { formatScore, isComparedList } from '../../analysis/account-counts.ts';
import type {
  AccountCoverage,
  AccountListCoverage,
  CoverageSegment,
  OrderedListCoverage,
} from '../../analysis/coverage/coverage-model.ts';
import { describeDifference } from '../../analysis/coverage/differences.ts';
import { describeReason } from '../../analysis/coverage/reasons.ts';
import { DAY } from '../../clock.ts';
import { pluralize } from '../../text.ts';
import type { TimeRange } from '../../time-ranges.ts';
import type { Block, Section, Text } from '../content.ts';

/** What the lists are called. */
const LISTS: Readonly<Record<(OrderedListCoverage | AccountListCoverage)['kind'], string>> = {
  timeline: 'Original tweets',
  replies: 'Tweets and replies',
  followers: 'Followers',
  following: 'Followed accounts',
};

/** How complete the lists of an account are. */
export function describeCoverage({ account, orderedLists, accountLists }: AccountCoverage): Section {
  const target = `id:${account.restId}`;
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
        ],
        rows: [...orderedLists, ...accountLists].map(({ kind, stored, reported, reportedAt }): Text[] => {
          const isCompared = isComparedList(kind);
          return [
            LISTS[kind],
            { count: stored },
            isCompared ? (reported === null ? 'not known' : { count: reported }) : '',
            formatScore({ stored, reported }),
            reportedAt === null ? '' : { day: toIso(reportedAt) },
          ];
        }),
        note: 'The reported number of tweets may include replies, so it is not compared with original tweets alone. The count of a profile is no measure of completeness: it may be stale, and it includes items that lists do not show. The periods below are evidence.',
      },
      { type: 'heading', text: 'Why stored and reported numbers differ' },
      {
        type: 'list',
        items: [...orderedLists, ...accountLists].map((list) => [
          { strong: `${LISTS[list.kind]}: ` },
          `${describeDifference(list) || 'the numbers are equal'}.`,
        ]),
      },
      ...orderedLists.flatMap((list) => describeOrderedList(list, target)),
      { type: 'heading', text: 'Followers and followed accounts' },
      ...accountLists.map((list) => describeAccountList(list, target)),
    ],
  };
}

function describeOrderedList({ kind, state, axis, segments }: OrderedListCoverage, target: string): Block[] {
  const heading: Block = { type: 'heading', text: LISTS[kind] };
  if (state === 'not available') {
    return [heading, { type: 'absence', absence: 'not available', text: 'The service does not have the account.' }];
  }
  if (state === 'not collected' || axis === null) {
    const command = `trawl crawl ${kind} ${target}`;
    return [heading, { type: 'absence', absence: 'not collected', text: 'This list was never crawled.', command }];
  }
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
    describeSegments(LISTS[kind], segments),
  ];
}

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
      return [...(isShort ? [{ time: from }, { time: to }] : [{ day: from }, { day: to }]), describeSegment(segment)];
    }),
  };
}

const STATES: Readonly<Record<CoverageSegment['state'], string>> = {
  complete: 'complete, without gaps',
  gap: 'gap',
  unknown: 'not known',
  pruned: 'pruned',
};

function describeSegment({ state, reason, crawlId, searched, items, prunedAt }: CoverageSegment): Text {
  if (prunedAt !== undefined) {
    return [`pruned: ${pluralize(items, 'item')} of the list removed, the last on `, { day: toIso(prunedAt) }];
  }
  return [
    STATES[state],
    ...(reason === null ? [] : [`: ${describeReason(reason)}`]),
    ...(crawlId === null ? [] : [` (crawl ${crawlId})`]),
    ...(searched.length === 0 ? [] : ['; searched in part, which proves nothing']),
  ];
}

/** What is known about each list, in a line. */
export const summariseCoverage = ({ orderedLists, accountLists }: AccountCoverage): Text[] => [
  ...orderedLists.map((list): Text => {
    const name = { strong: `${LISTS[list.kind]}: ` };
    if (list.axis === null) return [name, `${list.state}.`];
    const gaps = list.segments.filter(({ state }) => state !== 'complete').length;
    const parts =
      gaps === 0 ? 'no gaps' : pluralize(gaps, 'period that is not complete', 'periods that are not complete');
    return [
      name,
      { day: toIso(list.axis.from) },
      ' to ',
      { day: toIso(list.axis.to) },
      `, ${parts} (${describeLengths(list.segments)}).`,
    ];
  }),
  ...accountLists.map((list): Text => [
    { strong: `${LISTS[list.kind]}: ` },
    list.state,
    ...(list.asOf === null ? ['.'] : [' as of ', { day: toIso(list.asOf) }, '.']),
  ]),
];

/** The lengths of a time by state: `363 days complete, 2,219 days in gaps`. A share would read as one of the tweets. */
function describeLengths(segments: readonly CoverageSegment[]): string {
  const lengths = (Object.keys(LENGTHS) as CoverageSegment['state'][]).flatMap((state) => {
    const length = sumLengths(segments.filter((segment) => segment.state === state));
    if (length === 0) return [];
    return [`${length < DAY ? 'less than a day' : pluralize(Math.round(length / DAY), 'day')} ${LENGTHS[state]}`];
  });
  return lengths.join(', ');
}

const LENGTHS: Readonly<Record<CoverageSegment['state'], string>> = {
  complete: 'complete',
  gap: 'in gaps',
  unknown: 'not known',
  pruned: 'pruned',
};

const sumLengths = (segments: readonly CoverageSegment[]): number =>
  segments.reduce((sum, { from, to }) => sum + (to - from), 0);

function describeAccountList({ kind, state, asOf, reason, stored }: AccountListCoverage, target: string): Block {
  const name = { strong: `${LISTS[kind]}: ` };
  const why = reason === null ? undefined : describeReason(reason);
  switch (state) {
    case 'complete':
      return {
        type: 'paragraph',
        text: [name, 'complete as of ', { time: toIso(asOf!) }, ', with ', { count: stored }, ' current.'],
      };
    case 'incomplete':
      return {
        type: 'paragraph',
        text: [
          name,
          'incomplete',
          ...(asOf === null ? [] : [' as of ', { time: toIso(asOf) }]),
          ', with ',
          { count: stored },
          why === undefined ? ' stored.' : ` stored: ${why}.`,
        ],
      };
    case 'not collected':
      return {
        type: 'absence',
        absence: 'not collected',
        text: `${LISTS[kind]}: this list was never crawled.`,
        command: `trawl crawl ${kind} ${target}`,
      };
    case 'not available':
      return {
        type: 'absence',
        absence: 'not available',
        text: `${LISTS[kind]}: ${why ?? 'the service does not show this list'}.`,
      };
  }
}

const toIso = (ms: number): string => new Date(ms).toISOString();

/** The coverage of an account as data: times are ISO 8601. */
export const toCoverageData = ({ account, tweets, orderedLists, accountLists, searched }: AccountCoverage): object => ({
  account: { ...account, createdAt: toTime(account.createdAt), unavailableAt: toTime(account.unavailableAt) },
  tweets,
  orderedLists: orderedLists.map((list) => ({
    ...list,
    reportedAt: toTime(list.reportedAt),
    axis: list.axis && { ...list.axis, ...toTimes(list.axis) },
    segments: list.segments.map((segment) => ({
      ...segment,
      ...toTimes(segment),
      searched: segment.searched.map(toTimes),
      ...(segment.prunedAt === undefined ? {} : { prunedAt: toIso(segment.prunedAt) }),
    })),
  })),
  accountLists: accountLists.map((list) => ({
    ...list,
    reportedAt: toTime(list.reportedAt),
    asOf: toTime(list.asOf),
  })),
  searched: searched.map(toTimes),
});

const toTime = (ms: number | null): string | null => (ms === null ? null : toIso(ms));
/** A range with its times in ISO 8601. */
export const toTimes = ({ from, to }: TimeRange) => ({ from: toIso(from), to: toIso(to) });
