/** A value of a column; flags are 0 and 1. */
export type ColumnValue = string | number;

/** An earlier value: when it was last seen, and when another value was first seen. */
export interface PastValue {
  readonly value: ColumnValue;
  readonly lastSeen: number;
  readonly changedAt: number;
}

/** The values of a column over time: the current one with its time, and earlier ones, oldest first. Null is unknown. */
export interface ValueTimeline {
  readonly current: ColumnValue | null;
  readonly seenAt: number;
  readonly past: readonly PastValue[];
}

/**
 * Returns the timeline with one more observation, independent of the order of arrival (invariant 6). The latest
 * observation is the current value; of two at the same time, the greater one. An older observation is inserted at its
 * time (invariant 7), so that the timeline matches every observation. An old observation of another value splits the
 * run that it falls into.
 *
 * @param since when the row was first seen
 */
export function addObservation(timeline: ValueTimeline, value: ColumnValue, at: number, since: number): ValueTimeline {
  const { current, seenAt, past } = timeline;
  if (current === null) return { current: value, seenAt: at, past };
  // A value with time 0 is a default for an unobserved value, and never an earlier value.
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

/** Splits a run by an observation of another value within it. */
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

/** The part of a run before a time, if any. When its value was last seen is unknown, so the run ends just before. */
const runBefore = (at: number, start: number, value: ColumnValue): PastValue[] =>
  start < at ? [{ value, lastSeen: at - 1, changedAt: at }] : [];

/** Removes runs between two runs of the same value. */
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

/** A total order makes the result independent of the order of arrival. */
const isGreater = (a: ColumnValue, b: ColumnValue): boolean => (typeof a === typeof b ? a > b : typeof a === 'string');
