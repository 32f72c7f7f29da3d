/** A value of a column; flags are 0 and 1. */
export type ColumnValue = string | number;

/** An earlier value: when it was last seen, and when another was. */
export interface PastValue {
  readonly value: ColumnValue;
  readonly lastSeen: number;
  readonly changedAt: number;
}

/** One column over time: the value that was shown last, when, and those before it, oldest first. Null is unknown. */
export interface ValueTimeline {
  readonly current: ColumnValue | null;
  readonly seenAt: number;
  readonly past: readonly PastValue[];
}

/**
 * A column's course with one more observation of it, in whatever order they come (law 6): the latest one is what it is
 * now, the greater of two at one time. An earlier one goes where it belongs (law 7), so that at the time of every
 * observation the course says what was observed. A late one in the midst of a run of another value cuts it in two, and
 * stands for itself alone.
 *
 * @param since when anything was first known of whom or what the column is of.
 */
export function addObservation(timeline: ValueTimeline, value: ColumnValue, at: number, since: number): ValueTimeline {
  const { current, seenAt, past } = timeline;
  if (current === null) return { current: value, seenAt: at, past };
  // What counts as seen at 0 only stands in for what was not observed: it is no earlier value.
  if (at === 0 || seenAt === 0) {
    const isNewer = at > seenAt || (at === seenAt && isGreater(value, current));
    return isNewer ? { current: value, seenAt: at, past } : timeline;
  }
  if (value === current && at >= seenAt) return { current, seenAt: at, past };
  if (at > seenAt)
    return { current: value, seenAt: at, past: [...past, { value: current, lastSeen: seenAt, changedAt: at }] };
  const start = past.at(-1)?.changedAt ?? since;
  if (at === seenAt) {
    if (!isGreater(value, current)) return timeline;
    return removeRepeats({ current: value, seenAt, past: [...past, ...runBefore(at, start, current)] });
  }
  const runs: PastValue[] = [...past, { value: current, lastSeen: seenAt, changedAt: Infinity }];
  const i = runs.findIndex(({ changedAt }) => changedAt > at);
  runs.splice(i, 1, ...splitRun(runs[i]!, i === 0 ? since : runs[i - 1]!.changedAt, value, at));
  const next = removeRepeats({ current, seenAt, past: runs.slice(0, -1) });
  return areEqual(next.past, past) ? timeline : next;
}

/** What becomes of a run, from its start to its end, with an observation of another value in it. */
function splitRun(run: PastValue, start: number, value: ColumnValue, at: number): PastValue[] {
  if (value === run.value) return [{ ...run, lastSeen: Math.max(run.lastSeen, at) }];
  if (at < start) return [{ value, lastSeen: at, changedAt: start }, run];
  if (at > run.lastSeen)
    return [
      { ...run, changedAt: at },
      { value, lastSeen: at, changedAt: run.changedAt },
    ];
  const before = runBefore(at, start, run.value);
  if (at === run.lastSeen) return [...before, { value, lastSeen: at, changedAt: run.changedAt }];
  return [...before, { value, lastSeen: at, changedAt: at + 1 }, run];
}

/** The part of a run before a time, if there is one: when within it the value was seen is not known any more. */
const runBefore = (at: number, start: number, value: ColumnValue): PastValue[] =>
  start < at ? [{ value, lastSeen: at - 1, changedAt: at }] : [];

/** What was so before and after a time is so at it. */
function removeRepeats({ current, seenAt, past }: ValueTimeline): ValueTimeline {
  const next = (i: number) => (i === past.length - 1 ? current : past[i + 1]!.value);
  return { current, seenAt, past: past.filter(({ value }, i) => value !== next(i)) };
}

const areEqual = (left: readonly PastValue[], right: readonly PastValue[]): boolean =>
  left.length === right.length &&
  left.every(
    (run, i) =>
      run.value === right[i]!.value && run.lastSeen === right[i]!.lastSeen && run.changedAt === right[i]!.changedAt,
  );

/** A total order, so that it does not matter which of two comes first. */
const isGreater = (a: ColumnValue, b: ColumnValue): boolean => (typeof a === typeof b ? a > b : typeof a === 'string');
