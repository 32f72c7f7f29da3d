import { type Clock, MINUTE } from '../../clock.ts';

/** Bodies per call, and the pause between calls: each call occupies the writer for some milliseconds. */
const BATCH_SIZE = 32;
const PAUSE_MS = 50;

/** Deletes bodies that are older than an age, now and every minute, until it is disposed of. */
export function startBodyRetention(options: {
  readonly expireBodies: (before: number, most: number) => Promise<number>;
  readonly clock: Clock;
  readonly ageMs: number;
  /** Called when a call fails; it is repeated later. */
  readonly onError: (error: unknown) => void;
}): AsyncDisposable {
  const { expireBodies, clock, ageMs, onError } = options;
  const stop = new AbortController();
  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      let deleted = 0;
      try {
        deleted = await expireBodies(clock.now() - ageMs, BATCH_SIZE);
      } catch (error) {
        onError(error);
      }
      await clock.sleep(deleted === BATCH_SIZE ? PAUSE_MS : MINUTE, stop.signal).catch(() => undefined);
    }
  }
  const done = run();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await done;
    },
  };
}
