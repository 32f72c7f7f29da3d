/** Counts the requests of this process in flight, by endpoint. */
export interface InFlightCounter {
  begin(endpoint: string): void;
  /** Ends one and resolves the waits for it. */
  end(endpoint: string): void;
  count(endpoint: string): number;
  /** Resolves when the next one of the endpoint ends. */
  waitForEnd(endpoint: string): Promise<void>;
}

export function createInFlightCounter(): InFlightCounter {
  const counts = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();

  return {
    begin: (endpoint) => void counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1),
    end(endpoint) {
      counts.set(endpoint, (counts.get(endpoint) ?? 1) - 1);
      const woken = waiting.get(endpoint) ?? [];
      waiting.delete(endpoint);
      for (const wake of woken) wake();
    },
    count: (endpoint) => counts.get(endpoint) ?? 0,
    waitForEnd: (endpoint) =>
      new Promise((resolve) => void waiting.set(endpoint, [...(waiting.get(endpoint) ?? []), resolve])),
  };
}
