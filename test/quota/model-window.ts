/** The quota of a service by its own clock: a sliding window, or a fixed one that begins at 0. */
export interface ModelWindow {
  /** The times of granted and refused requests. */
  readonly granted: number[];
  readonly refused: number[];
  remaining(now: number): number;
  /** When the next request returns: in a fixed window, its end. */
  nextReturn(now: number): number;
  /** Undefined if the request is granted; else the wait in ms, in whole seconds as in Retry-After. */
  ask(now: number): number | undefined;
}

export function createModelWindow(options: { limit: number; windowMs: number; sliding: boolean }): ModelWindow {
  const { windowMs, sliding } = options;
  const granted: number[] = [];
  const refused: number[] = [];
  const startOf = (now: number): number => (sliding ? now - windowMs : now - (now % windowMs) - 1);
  const within = (now: number): number => {
    const start = startOf(now);
    let n = granted.length;
    while (n > 0 && granted[n - 1]! > start) n -= 1;
    return granted.length - n;
  };
  const remaining = (now: number): number => Math.max(0, options.limit - within(now));
  const nextReturn = (now: number): number =>
    (sliding ? (granted[granted.length - within(now)] ?? now) : startOf(now) + 1) + windowMs;
  return {
    granted,
    refused,
    remaining,
    nextReturn,
    ask(now) {
      if (remaining(now) > 0) {
        granted.push(now);
        return undefined;
      }
      refused.push(now);
      return Math.max(1, Math.ceil((nextReturn(now) - now) / 1000)) * 1000;
    },
  };
}
