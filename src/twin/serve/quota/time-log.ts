export type TimeLog = ReturnType<typeof createTimeLog>;

/** A queue in one array. Its used head is dropped when it is half of the array, so each time is moved at most once. */
export function createTimeLog(initial: readonly number[] = []) {
  let times = [...initial];
  let head = 0;
  return {
    get size(): number {
      return times.length - head;
    },
    add: (time: number): void => void times.push(time),
    at: (index: number): number | undefined => times[head + index],
    removeUntil(time: number): void {
      while (head < times.length && times[head]! <= time) head += 1;
      if (head * 2 > times.length) {
        times = times.slice(head);
        head = 0;
      }
    },
  };
}
