import { type Clock, MINUTE } from '../../clock.ts';

/** So many bodies go at a time, with a rest after it: each bite is some milliseconds of the writer's. */
const BITE = 32;
const REST_MS = 50;

/** Lets bodies go that are older than an age, now and as time goes by, until it is disposed of. */
export function startBodyRetention(options: {
  readonly expireBodies: (before: number, most: number) => Promise<number>;
  readonly clock: Clock;
  readonly ageMs: number;
  /** A bite that could not be taken is taken later. */
  readonly onError: (error: unknown) => void;
}): AsyncDisposable {
  const { expireBodies, clock, ageMs, onError } = options;
  const stop = new AbortController();
  async function bite(): Promise<number> {
    try {
      return await expireBodies(clock.now() - ageMs, BITE);
    } catch (error) {
      onError(error);
      return 0;
    }
  }
  async function keepOn(): Promise<void> {
    while (!stop.signal.aborted) {
      const gone = await bite();
      await clock.sleep(gone === BITE ? REST_MS : MINUTE, stop.signal).catch(() => undefined);
    }
  }
  const done = keepOn();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await done;
    },
  };
}
