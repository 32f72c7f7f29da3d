/** One answered request of a key, as token-info shows it. */
export interface Answered {
  readonly endpoint: string;
  readonly at: number;
  readonly status: number;
}

/** The latest requests of each key, newest first. */
export interface History {
  record(keyId: number, request: Answered): void;
  latest(keyId: number): readonly Answered[];
}

const KEPT = 20;

export function createHistory(): History {
  const byKey = new Map<number, readonly Answered[]>();
  const latest = (keyId: number): readonly Answered[] => byKey.get(keyId) ?? [];
  return {
    latest,
    record: (keyId, request) => void byKey.set(keyId, [request, ...latest(keyId)].slice(0, KEPT)),
  };
}
