import { formatScore, isComparedList } from '../../../analysis/account-counts.ts';
import type {
  AccountCoverage,
  AccountListCoverage,
  CoverageSegment,
  OrderedListCoverage,
} from '../../../analysis/coverage/coverage-model.ts';
import { describeDifference } from '../../../analysis/coverage/differences.ts';
import { describeReason } from '../../../analysis/coverage/reasons.ts';
import { DAY } from '../../../base/clock.ts';
import { pluralize } from '../../../base/text.ts';
import { toIso } from '../../../base/units.ts';
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
          { label: 'Why they differ' },
        ],
        rows: [...orderedLists, ...accountLists].map((list): Text[] => {
          const { kind, stored, reported, reportedAt } = list;
          const count = reported === null ? 'not known' : { count: reported };
          return [
            LISTS[kind],
            { count: stored },
            isComparedList(kind) ? count : '',
            formatScore({ stored, reported }),
            reportedAt === null ? '' : { day: toIso(reportedAt) },
            describeDifference(list),
          ];
        }),
        note: 'The count of a profile is no measure of completeness: it may be stale, and it includes items that lists do not show. The periods below are evidence.',
      },
      ...orderedLists.flatMap((list) => describeOrderedList(list, target)),
      { type: 'heading', text: 'Followers and followed accounts' },
      ...accountLists.map((list) => describeAccountList(list, target)),
    ],
  };
}

function describeOrderedList({ kind, state, axis, segments }: OrderedListCoverage, target: string): Block[] {
  const heading: Block = { type: 'heading', text: LISTS[kind] };
  if (axis === null || state !== 'collected') return [heading, describeMissingList(kind, state, target)];
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

const describeMissingList = (kind: keyof typeof LISTS, state: string, target: string, why?: string): Block =>
  state === 'not available'
    ? {
        type: 'absence',
        absence: 'not available',
        text: `${LISTS[kind]}: ${why ?? 'the service does not show this list'}.`,
      }
    : {
        type: 'absence',
        absence: 'not collected',
        text: `${LISTS[kind]}: this list was never crawled.`,
        command: `trawl crawl ${kind} ${target}`,
      };

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

/** What a segment is called, alone and after a length of time. */
const STATES: Readonly<Record<CoverageSegment['state'], readonly [alone: string, afterLength: string]>> = {
  complete: ['complete, without gaps', 'complete'],
  gap: ['gap', 'in gaps'],
  unknown: ['not known', 'not known'],
  pruned: ['pruned', 'pruned'],
};

function describeSegment({ state, reason, crawlId, searched, items, prunedAt }: CoverageSegment): Text {
  if (prunedAt !== undefined) {
    return [`pruned: ${pluralize(items, 'item')} of the list removed, the last on `, { day: toIso(prunedAt) }];
  }
  const why = reason === null ? '' : `: ${describeReason(reason)}`;
  const crawl = crawlId === null ? '' : ` (crawl ${crawlId})`;
  return `${STATES[state][0]}${why}${crawl}${searched.length === 0 ? '' : '; searched in part, which proves nothing'}`;
}

/** What is known about each list, in a line. */
export const summariseCoverage = ({ orderedLists, accountLists }: AccountCoverage): Text[] => [
  ...orderedLists.map(({ kind, state, axis, segments }): Text => {
    const name = { strong: `${LISTS[kind]}: ` };
    if (axis === null) return [name, `${state}.`];
    const gaps = segments.filter((segment) => segment.state !== 'complete').length;
    const parts =
      gaps === 0 ? 'no gaps' : pluralize(gaps, 'period that is not complete', 'periods that are not complete');
    return [
      name,
      { day: toIso(axis.from) },
      ' to ',
      { day: toIso(axis.to) },
      `, ${parts} (${describeLengths(segments)}).`,
    ];
  }),
  ...accountLists.map(({ kind, state, asOf }): Text => [
    { strong: `${LISTS[kind]}: ` },
    state,
    ...(asOf === null ? ['.'] : [' as of ', { day: toIso(asOf) }, '.']),
  ]),
];

/** The lengths of a time by state: `363 days complete, 2,219 days in gaps`. A share would read as one of the tweets. */
const describeLengths = (segments: readonly CoverageSegment[]): string =>
  Object.entries(STATES)
    .flatMap(([state, [, words]]) => {
      const own = segments.filter((segment) => segment.state === state);
      const length = own.reduce((sum, { from, to }) => sum + (to - from), 0);
      if (length === 0) return [];
      return [`${length < DAY ? 'less than a day' : pluralize(Math.round(length / DAY), 'day')} ${words}`];
    })
    .join(', ');

function describeAccountList({ kind, state, asOf, reason, stored }: AccountListCoverage, target: string): Block {
  const why = reason === null ? undefined : describeReason(reason);
  if (state === 'not collected' || state === 'not available') return describeMissingList(kind, state, target, why);
  const end = state === 'complete' ? ' current' : ` stored${why === undefined ? '' : `: ${why}`}`;
  return {
    type: 'paragraph',
    text: [
      { strong: `${LISTS[kind]}: ` },
      state,
      ...(asOf === null ? [] : [' as of ', { time: toIso(asOf) }]),
      ', with ',
      { count: stored },
      `${end}.`,
    ],
  };
}
