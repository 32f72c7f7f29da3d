/** A range of time in milliseconds UTC, without its end. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Returns the parts of a range that are in none of the others, oldest first. */
export function subtractRanges(whole: TimeRange, taken: readonly TimeRange[]): TimeRange[] {
  let left: TimeRange[] = whole.to > whole.from ? [whole] : [];
  for (const { from, to } of taken) {
    left = left.flatMap((part) =>
      [
        { from: part.from, to: Math.min(part.to, from) },
        { from: Math.max(part.from, to), to: part.to },
      ].filter((rest) => rest.to > rest.from),
    );
    // An empty range splits a part in two that touch.
    left = mergeRanges(left);
  }
  return left;
}

/** Merges ranges that touch or overlap; oldest first. */
export function mergeRanges(ranges: readonly TimeRange[]): TimeRange[] {
  const all: TimeRange[] = [];
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last && from <= last.to) all[all.length - 1] = { from: last.from, to: Math.max(last.to, to) };
    else all.push({ from, to });
  }
  return all;
}

/** Returns the parts of ranges that are within another one. @param ranges merged */
export const clipRanges = (ranges: readonly TimeRange[], { from, to }: TimeRange): TimeRange[] =>
  ranges
    .map((range) => ({ from: Math.max(range.from, from), to: Math.min(range.to, to) }))
    .filter((part) => part.to > part.from);
