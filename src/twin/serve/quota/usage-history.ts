/** A request of a key, as token-info shows it. */
export interface AnsweredRequest {
  readonly endpoint: string;
  readonly at: number;
  readonly status: number;
}

export type UsageHistory = ReturnType<typeof createUsageHistory>;

const REQUESTS_PER_KEY = 20;

/** Creates the history of each key's latest requests to this twin. */
export function createUsageHistory() {
  const latest = new Map<number, readonly AnsweredRequest[]>();
  return {
    record: (keyId: number, request: AnsweredRequest): void =>
      void latest.set(keyId, [request, ...(latest.get(keyId) ?? [])].slice(0, REQUESTS_PER_KEY)),
    /** Newest first. */
    latest: (keyId: number): readonly AnsweredRequest[] => latest.get(keyId) ?? [],
  };
}
