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

/** So many of a key. */
export const KEPT = 20;

export function createHistory(): History {
  const byKey = new Map<number, Answered[]>();
  return {
    latest: (keyId) => byKey.get(keyId)?.toReversed() ?? [],
    record(keyId, request) {
      let all = byKey.get(keyId);
      if (!all) byKey.set(keyId, (all = []));
      if (all.length === KEPT) all.shift();
      all.push(request);
    },
  };
}
