import type { TwinFile } from './twin-file.ts';

/** A request of a key, as token-info shows it. */
export interface AnsweredRequest {
  readonly endpoint: string;
  readonly at: number;
  readonly status: number;
}

export type UsageHistory = ReturnType<typeof createUsageHistory>;

const REQUESTS_PER_KEY = 20;

/**
 * Creates the history of each key's latest requests. It includes requests before a restart and of other twins. Requests are written within a second; a
 * killed process loses that second.
 */
export function createUsageHistory(twinFile: TwinFile) {
  const { client } = twinFile;
  const insert = client.prepare('insert into answered (key_id, endpoint, at, status) values (?, ?, ?, ?)');
  const latest = client.prepare<[number], AnsweredRequest>(
    `select endpoint, at, status from answered where key_id = ? order by at desc, id desc limit ${REQUESTS_PER_KEY}`,
  );
  const prune = client.prepare(
    `delete from answered where key_id = :key and id not in
      (select id from answered where key_id = :key order by at desc, id desc limit ${REQUESTS_PER_KEY})`,
  );
  /** Oldest first. */
  const pending = new Map<number, AnsweredRequest[]>();

  twinFile.onFlush(() => {
    for (const [key, requests] of pending) {
      for (const { endpoint, at, status } of requests) insert.run(key, endpoint, at, status);
      prune.run({ key });
    }
    pending.clear();
  });

  return {
    record(keyId: number, request: AnsweredRequest): void {
      pending.set(keyId, [...(pending.get(keyId) ?? []), request].slice(-REQUESTS_PER_KEY));
      twinFile.scheduleFlush();
    },
    /** Newest first. */
    latest: (keyId: number): readonly AnsweredRequest[] =>
      // Both are newest first, and the sort is stable.
      [...(pending.get(keyId)?.toReversed() ?? []), ...latest.all(keyId)]
        .toSorted((a, b) => b.at - a.at)
        .slice(0, REQUESTS_PER_KEY),
  };
}
