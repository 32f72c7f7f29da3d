import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KIND_NAMES } from '#service/kinds/kinds.ts';
import { crashAt, pointsOf, findSubject } from './crash-points.ts';
import { openStorePool, type StorePool } from './stores.ts';

/** Every 20th point is tried; `npm run sim -- --crash-points` tries all. */
const STEP = 20;

describe('a worker can die at any await and statement, and any can find a full disk (invariant 1)', () => {
  let pool: StorePool;
  beforeAll(async () => {
    pool = await openStorePool();
  });
  afterAll(() => pool[Symbol.dispose]());

  test.for(KIND_NAMES)('of a crawl of %s, with the same final rows', { timeout: 900_000 }, async (kind, { signal }) => {
    const subject = await findSubject(kind, pool);
    const points = pointsOf(subject);
    expect(points.length).toBeGreaterThan(30);
    for (const point of points.filter((_, i) => i % STEP === 0)) {
      // After a timeout, it would run beside the next test.
      signal.throwIfAborted();
      expect(await crashAt(subject, [point], pool), JSON.stringify(point)).toEqual([]);
    }
  });
});
