import type { TwinFile } from './twin-file.ts';
import type { AnsweredRequest, UsageHistory } from './usage-history.ts';
import { createUsageHistory, REQUESTS_PER_KEY } from './usage-history.ts';

/**
 * The latest requests of each key, including those before a restart and of other twins. They are written within a
 * second; a killed process loses that second.
 */
export function createDurableHistory(twinFile: TwinFile): UsageHistory {
  const { client } = twinFile;
  const insert = client.prepare('insert into answered (key_id, endpoint, at, status) values (?, ?, ?, ?)');
  const latest = client.prepare<[number], AnsweredRequest>(
    `select endpoint, at, status from answered where key_id = ? order by at desc, id desc limit ${REQUESTS_PER_KEY}`,
  );
  const prune = client.prepare(
    `delete from answered where key_id = :key and id not in
      (select id from answered where key_id = :key order by at desc, id desc limit ${REQUESTS_PER_KEY})`,
  );
  let pending = createUsageHistory();
  const keys = new Set<number>();

  twinFile.onFlush(() => {
    for (const key of keys) {
      for (const { endpoint, at, status } of pending.latest(key).toReversed()) insert.run(key, endpoint, at, status);
      prune.run({ key });
    }
    keys.clear();
    pending = createUsageHistory();
  });

  return {
    record(keyId, request) {
      pending.record(keyId, request);
      keys.add(keyId);
      twinFile.scheduleFlush();
    },
    latest: (keyId) =>
      // Both are newest first, and the sort is stable.
      [...pending.latest(keyId), ...latest.all(keyId)].toSorted((a, b) => b.at - a.at).slice(0, REQUESTS_PER_KEY),
  };
}
