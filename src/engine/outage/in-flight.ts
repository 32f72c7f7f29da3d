/** Counts the requests of this process in flight, by endpoint. */
export function createInFlightCounter() {
  const counts = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();

  return {
    begin: (endpoint: string): void => void counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1),
    /** Ends a request and resolves the waits for it. */
    end(endpoint: string): void {
      counts.set(endpoint, (counts.get(endpoint) ?? 1) - 1);
      const woken = waiting.get(endpoint) ?? [];
      waiting.delete(endpoint);
      for (const wake of woken) wake();
    },
    count: (endpoint: string): number => counts.get(endpoint) ?? 0,
    /** Resolves when the next request of the endpoint ends. */
    waitForEnd: (endpoint: string): Promise<void> =>
      new Promise((resolve) => void waiting.set(endpoint, [...(waiting.get(endpoint) ?? []), resolve])),
  };
}
