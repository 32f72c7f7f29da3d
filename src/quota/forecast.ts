/** What is known of a quota, to look ahead by. */
export interface Outlook {
  readonly limit: number;
  readonly remaining: number;
  /** What the class of the crawls leaves. */
  readonly floor: number;
  readonly resetAt: number | undefined;
  /** How long a window is, as far as it is known. */
  readonly windowMs: number | undefined;
}

export interface Forecast {
  /** Windows that are spent from, this one included where it has something left. */
  readonly windows: number;
  /** How often it waits for quota. */
  readonly waits: number;
  /** Undefined where the length of a window is not known, and it matters. */
  readonly finishAt: number | undefined;
}

/** How many requests a class may send in a window that nobody else spends from. */
export const perWindow = ({ limit, floor }: Pick<Outlook, 'limit' | 'floor'>): number => Math.max(0, limit - floor);

/**
 * How a number of requests is spread over windows, and when the last is answered, if nobody else spends of them.
 * A window that slides is reckoned like a fixed one: it frees as much in the same time. Undefined where no request is
 * ever allowed.
 *
 * @param workMs how long so many requests take where there is quota.
 */
export function forecast(
  requests: number,
  outlook: Outlook,
  now: number,
  workMs: (requests: number) => number,
): Forecast | undefined {
  const { remaining, floor, resetAt, windowMs } = outlook;
  const share = perWindow(outlook);
  const left = Math.max(0, Math.min(remaining, outlook.limit) - floor);
  if (requests <= left) return { windows: 1, waits: 0, finishAt: now + workMs(requests) };
  if (share === 0) return undefined;
  const waits = Math.ceil((requests - left) / share);
  const windows = waits + (left > 0 ? 1 : 0);
  const last = requests - left - (waits - 1) * share;
  const firstReset =
    resetAt !== undefined && resetAt > now ? resetAt : windowMs === undefined ? undefined : now + windowMs;
  const rest = waits === 1 ? 0 : windowMs === undefined ? undefined : (waits - 1) * windowMs;
  const finishAt = firstReset === undefined || rest === undefined ? undefined : firstReset + rest + workMs(last);
  return { windows, waits, finishAt };
}
