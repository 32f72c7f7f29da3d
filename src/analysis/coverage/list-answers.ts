import { pluralize } from '../../base/text.ts';
import type { TimeRange } from '../../base/time-ranges.ts';
import { formatDay } from '../../base/units.ts';
import type { Answer } from '../answer.ts';
import type { AccountListCoverage, CoverageSegment, ListKind, OrderedListCoverage, Segment } from './coverage-model.ts';
import { describeReason, explainReason } from './reasons.ts';

/** What is said of the lists of an account, and of the parts of their axes. */

/** The names of the lists. */
export const LIST_LABELS: Readonly<Record<ListKind, string>> = {
  timeline: 'Original tweets',
  replies: 'Tweets and replies',
  followers: 'Followers',
  following: 'Followed accounts',
};

/** Returns the answer about a list. A command names the account by its id, which does not change. */
const toAnswer = <State extends string>(
  kind: ListKind,
  restId: string,
  state: State,
  sentence: string,
): Answer<State> => ({
  state,
  label: LIST_LABELS[kind],
  sentence,
  command: state === 'not collected' ? `crawl ${kind} id:${restId}` : null,
});

/** The answer about the tweets of an account. @param segments those of a list that was collected */
export function answerOrderedList(
  kind: OrderedListCoverage['kind'],
  restId: string,
  state: OrderedListCoverage['state'],
  segments: readonly Segment[] = [],
): Answer<OrderedListCoverage['state']> {
  const open = segments.filter((segment) => segment.state !== 'complete').length;
  const collected = open === 0 ? 'complete' : `${pluralize(open, 'period')} not complete`;
  const sentence = {
    collected,
    'not collected': state,
    'not available': `${state}: ${describeReason('not_available')}`,
  }[state];
  return toAnswer(kind, restId, state, sentence);
}

/** The answer about the followers of an account, or the accounts that it follows. */
export function answerAccountList(
  kind: AccountListCoverage['kind'],
  restId: string,
  { state, asOf, reason }: Pick<AccountListCoverage, 'state' | 'asOf' | 'reason'>,
): Answer<AccountListCoverage['state']> {
  const when = asOf === null ? '' : ` as of ${formatDay(asOf)}`;
  const why = reason === null || state === 'not collected' ? '' : `: ${describeReason(reason)}`;
  return toAnswer(kind, restId, state, `${state}${when}${why}`);
}

/** Returns the parts of a list with what is said of them. @param list its axis, and the number of its stored items */
export function wordSegments(
  segments: readonly Segment[],
  list: { readonly axis: TimeRange; readonly stored: number },
): CoverageSegment[] {
  const isEmpty = list.stored === 0 && !segments.some(({ state }) => state === 'pruned');
  return segments.map((segment) => {
    const isEnd = segment.from === list.axis.from;
    return { ...segment, ...explainReason(segment.reason), sentence: describeSegment(segment, isEnd, isEmpty) };
  });
}

/** @param isEnd whether it is the oldest one. @param isEmpty whether the list has no items */
function describeSegment(segment: Segment, isEnd: boolean, isEmpty: boolean): string {
  const { state, reason, pages, items, prunedAt } = segment;
  if (prunedAt !== undefined)
    return `${state}: ${pluralize(items, 'item')} of the list removed, the last on ${formatDay(prunedAt)}`;
  if (reason !== null) return `${state}: ${describeReason(reason)}${describeSearched(segment)}`;
  if (pages === 0) return isEmpty ? `${state}: the list has no tweets` : state;
  return `${state}: ${pluralize(pages, 'page')}${isEnd ? ', to the end of the list' : ''}`;
}

/** A search closes no gap. */
function describeSearched({ from, to, searched: [first, ...more] }: Segment): string {
  if (first === undefined) return '';
  if (first.from === from && first.to === to) return ', searched';
  return `, searched from ${formatDay(first.from)}${more.length > 0 ? ' in parts' : ''}`;
}
