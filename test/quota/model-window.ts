/** A service's account of a key as an own clock sees it: a sliding window, or a fixed one that begins at 0. */
export interface ModelWindow {
  readonly granted: number[];
  readonly refused: number[];
  remaining(now: number): number;
  /** Undefined when it is granted; else for how long it is not, in whole seconds as Retry-After has them. */
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
  return {
    granted,
    refused,
    remaining,
    ask(now) {
      if (remaining(now) > 0) {
        granted.push(now);
        return undefined;
      }
      refused.push(now);
      const first = granted[granted.length - within(now)]!;
      const freeAt = sliding ? first + windowMs : startOf(now) + 1 + windowMs;
      return Math.max(1, Math.ceil((freeAt - now) / 1000)) * 1000;
    },
  };
}
