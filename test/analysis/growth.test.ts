import { describe, expect, it, onTestFinished } from 'vitest';
import { estimateGrowth } from '#analysis/crawls/throughput.ts';
import { DAY } from '#base/clock.ts';
import { type Db, openDatabase } from '#store/sqlite/database.ts';
import { tempFile } from '../support/temp.ts';

const NOW = Date.UTC(2026, 0, 31);

/** A store with requests of these ages in days, and how many bytes their answers had; and its bytes. */
function storeWith(...answers: readonly (readonly [daysAgo: number, bytes: number, n: number])[]) {
  const db: Db = openDatabase(tempFile('mine.db'));
  onTestFinished(() => void db.$client.close());
  const insert = db.$client.prepare(
    "insert into requests (crawl_id, endpoint, sent_at, status, duration_ms, response_bytes) values (1, 'followers', ?, 200, 1, ?)",
  );
  db.$client.transaction(() => {
    for (const [daysAgo, bytes, n] of answers) for (let i = 0; i < n; i++) insert.run(NOW - daysAgo * DAY, bytes);
  })();
  const value = (name: string): number => db.$client.pragma(name, { simple: true }) as number;
  return { db, used: (value('page_count') - value('freelist_count')) * value('page_size') };
}

describe('the growth of a store', () => {
  it('is unknown in the first day', () => {
    expect(estimateGrowth(storeWith().db, NOW)).toBeUndefined();
    expect(estimateGrowth(storeWith([0.9, 100, 10]).db, NOW)).toBeUndefined();
  });

  it('is the size divided by the age while the store is young', () => {
    const { db, used } = storeWith([2, 100, 10], [1, 100, 10]);
    expect(estimateGrowth(db, NOW)).toBe(Math.round(used / 2));
  });

  it("is the share of the last seven days' responses, by bytes", () => {
    // 30,000 of 120,000 bytes in a week.
    const { db, used } = storeWith([30, 30, 3000], [6, 10, 3000]);
    const growth = estimateGrowth(db, NOW)!;
    expect(growth / ((used * 30_000) / 120_000 / 7)).toBeCloseTo(1, 1);
  });

  it('is zero after a week without responses', () => {
    expect(estimateGrowth(storeWith([30, 100, 10]).db, NOW)).toBe(0);
  });
});
