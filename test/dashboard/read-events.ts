import { onTestFinished } from 'vitest';
import { fetchWithToken } from './token.ts';

export interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
}

/** A stream of server-sent events. */
export interface EventReader {
  /** Every event so far. */
  readonly events: readonly ServerEvent[];
  /** Returns the first event, past the first `from` or future, for which `matches` is true. */
  waitFor<T>(event: string, matches?: (data: T) => boolean, from?: number): Promise<T>;
}

/** Reads the events of an address until the test ends. */
export async function readEvents(url: string): Promise<EventReader> {
  const closed = new AbortController();
  onTestFinished(() => closed.abort());
  const response = await fetchWithToken(url, { signal: closed.signal });
  const events: ServerEvent[] = [];
  const listeners = new Set<() => void>();
  void (async () => {
    let rest = '';
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
      const parts = (rest + text).split('\n\n');
      rest = parts.pop()!;
      for (const part of parts) {
        const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(part)!;
        events.push({ event: event!, data: JSON.parse(data!) });
      }
      for (const listener of listeners) listener();
    }
  })().catch(() => undefined);
  return {
    events,
    async waitFor<T>(event: string, matches: (data: T) => boolean = () => true, from = 0) {
      let look = (): void => undefined;
      const found = new Promise<T>((resolve) => {
        look = () => {
          const one = events.slice(from).find((each) => each.event === event && matches(each.data as T));
          if (one) resolve(one.data as T);
        };
      });
      listeners.add(look);
      look();
      return await found.finally(() => listeners.delete(look));
    },
  };
}
