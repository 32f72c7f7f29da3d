export interface TimeLog {
  readonly size: number;
  add(time: number): void;
  at(index: number): number;
  removeUntil(time: number): void;
}

/** A queue in one array. Its used head is dropped when it is half of the array, so each time is moved at most once. */
export function createTimeLog(initial: readonly number[] = []): TimeLog {
  let times = [...initial];
  let head = 0;
  return {
    get size() {
      return times.length - head;
    },
    add: (time) => void times.push(time),
    at: (index) => times[head + index]!,
    removeUntil(time) {
      while (head < times.length && times[head]! <= time) head += 1;
      if (head * 2 > times.length) {
        times = times.slice(head);
        head = 0;
      }
    },
  };
}
