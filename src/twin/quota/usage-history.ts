/** A request of a key, as token-info shows it. */
export interface AnsweredRequest {
  readonly endpoint: string;
  readonly at: number;
  readonly status: number;
}

/** The latest requests of each key, newest first. */
export interface UsageHistory {
  record(keyId: number, request: AnsweredRequest): void;
  latest(keyId: number): readonly AnsweredRequest[];
}

export const REQUESTS_PER_KEY = 20;

export function createUsageHistory(): UsageHistory {
  const byKey = new Map<number, AnsweredRequest[]>();
  return {
    latest: (keyId) => byKey.get(keyId)?.toReversed() ?? [],
    record(keyId, request) {
      let requests = byKey.get(keyId);
      if (!requests) byKey.set(keyId, (requests = []));
      if (requests.length === REQUESTS_PER_KEY) requests.shift();
      requests.push(request);
    },
  };
}
