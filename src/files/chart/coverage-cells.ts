/** A range of time in milliseconds UTC, without its end. */
export interface AxisRange {
  readonly from: number;
  readonly to: number;
}

/** A part of the axis of a list. */
export interface AxisSegment extends AxisRange {
  readonly state: 'complete' | 'gap' | 'unknown' | 'pruned';
  /** The parts that a search covered. */
  readonly searched?: readonly AxisRange[];
}

/**
 * The state of a cell: `complete` if all of its time is, `partly` if some of it is; otherwise `searched` if searches covered
 * all of it, `gap` if a part of it is a gap, `pruned` if all of it is, `unknown` if not, or `outside` of the axis.
 */
export type CellState = AxisSegment['state'] | 'partly' | 'searched' | 'outside';

/** The states of a legend, in its order. */
export const CELL_LABELS: readonly (readonly [state: Exclude<CellState, 'outside'>, label: string])[] = [
  ['complete', 'complete'],
  ['partly', 'partly complete'],
  ['gap', 'gap'],
  ['searched', 'searched, not complete'],
  ['pruned', 'pruned'],
  ['unknown', 'unknown'],
];

/**
 * Divides a range of time into cells of equal length, and returns the state of each. Segments without length count, too.
 * @param segments oldest first, without holes between them
 */
export function divideIntoCells(range: AxisRange, segments: readonly AxisSegment[], count: number): CellState[] {
  const length = range.to - range.from;
  let first = 0;
  return Array.from({ length: count }, (_, i) => {
    const from = range.from + (length * i) / count;
    const to = range.from + (length * (i + 1)) / count;
    while (first < segments.length && endsBefore(segments[first]!, from)) first++;
    const within: AxisSegment[] = [];
    for (let at = first; at < segments.length && segments[at]!.from < to; at++) within.push(segments[at]!);
    return summarise(within, { from, to });
  });
}

/** A segment without length at the start of a cell is in that cell. */
const endsBefore = ({ from, to }: AxisRange, at: number): boolean => (from === to ? to < at : to <= at);

function summarise(segments: readonly AxisSegment[], cell: AxisRange): CellState {
  const [first, last] = [segments[0], segments.at(-1)];
  if (first === undefined || last === undefined) return 'outside';
  const isWithin = first.from <= cell.from && last.to >= cell.to;
  const others = segments.filter(({ state }) => state !== 'complete');
  if (others.length === 0) return isWithin ? 'complete' : 'partly';
  if (others.length < segments.length) return 'partly';
  if (isWithin && others.every((segment) => isSearched(segment, cell))) return 'searched';
  if (others.every(({ state }) => state === 'pruned')) return 'pruned';
  return others.some(({ state }) => state === 'gap') ? 'gap' : 'unknown';
}

/** Whether searches covered all of a segment that is in a cell. */
const isSearched = ({ from, to, searched = [] }: AxisSegment, cell: AxisRange): boolean =>
  searched.some((part) => part.from <= Math.max(from, cell.from) && part.to >= Math.min(to, cell.to));
