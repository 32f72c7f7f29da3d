/** The events of a run, which one consumer reads. */
export interface EventQueue<E> {
  /** Adds an event. It replaces an unread event with the same key, so that unread events need little memory. */
  push(event: E, key: string): void;
  /** Ends the iteration after the unread events, with the error if one is given. */
  end(error?: Error): void;
  /** All iterators share the events: each is read once. */
  [Symbol.asyncIterator](): AsyncIterator<E, undefined>;
}

export function createEventQueue<E>(): EventQueue<E> {
  const unread = new Map<string, E>();
  let ended: { readonly error: Error | undefined } | undefined;
  let waiting: (() => void)[] = [];
  const wake = (): void => {
    const woken = waiting;
    waiting = [];
    for (const resolve of woken) resolve();
  };
  return {
    push(event, key) {
      if (ended) return;
      unread.set(key, event);
      wake();
    },
    end(error) {
      ended ??= { error };
      wake();
    },
    [Symbol.asyncIterator]() {
      let isLeft = false;
      return {
        async next() {
          for (;;) {
            const [first] = unread;
            if (isLeft) return { done: true, value: undefined };
            if (first) {
              unread.delete(first[0]);
              return { done: false, value: first[1] };
            }
            if (ended?.error) throw ended.error;
            if (ended) return { done: true, value: undefined };
            await new Promise<void>((resolve) => waiting.push(resolve));
          }
        },
        async return() {
          isLeft = true;
          wake();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
