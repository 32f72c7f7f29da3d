import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createKeyQuota, type KeyLimit, type KeyQuota } from '../../src/twin/serve/quota/key-quota.ts';
import { openTwinFile, type TwinFile } from '../../src/twin/serve/quota/twin-file.ts';
import { addUser, NOW, temporaryFile, temporaryStore, testClock, testTwin } from './support.ts';

/** A clock that stands still, and never wakes anybody. */
const still = { now: () => NOW, sleep: () => new Promise<void>(() => undefined) };

interface Running {
  readonly record: TwinFile;
  readonly quota: KeyQuota;
}

function startOn(store: string, mark = 'store', clock = still): Running {
  const record = openTwinFile({ store, storeSecret: mark, clock });
  onTestFinished(() => void record.client.close());
  return { record, quota: createKeyQuota(record) };
}

/** As the system does it to a process that is killed: nothing more is written. */
const kill = ({ record }: Running): void => void record.client.close();

const limits = fc.record({
  id: fc.constant(1),
  limit: fc.integer({ min: 1, max: 80 }),
  windowMs: fc.integer({ min: 1, max: 3000 }),
});

function expectWithin({ limit, windowMs }: KeyLimit, granted: readonly number[]): void {
  for (const start of granted) {
    const inside = granted.filter((at) => at >= start && at < start + windowMs);
    expect(inside.length).toBeLessThanOrEqual(limit);
  }
}

describe('a quota that is recorded', () => {
  test('never grants more than the limit in a window, with two twins that are killed and restarted (invariant 8)', () => {
    const step = fc.record({
      twin: fc.constantFrom(0, 1),
      pause: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 1500 })),
      takes: fc.integer({ min: 0, max: 30 }),
      end: fc.constantFrom('', '', '', 'kill', 'close', 'flush'),
    });
    fc.assert(
      fc.property(limits, fc.array(step, { maxLength: 40 }), (key, steps) => {
        const store = temporaryFile();
        const twins = [startOn(store), startOn(store)];
        const granted: number[] = [];
        let now = NOW;
        for (const { twin, pause, takes, end } of steps) {
          now += pause;
          const { quota, record } = twins[twin]!;
          for (let i = 0; i < takes; i++) {
            const wait = quota.take(key, now);
            expect(wait).toBeGreaterThanOrEqual(0);
            if (wait === 0) granted.push(now);
          }
          expect(quota.usage(key, now).remaining).toBeLessThanOrEqual(
            key.limit - granted.filter((at) => at > now - key.windowMs).length,
          );
          if (end === 'close') record.close();
          if (end === 'kill') kill(twins[twin]!);
          if (end === 'close' || end === 'kill') twins[twin] = startOn(store);
        }
        expectWithin(key, granted);
        twins.forEach(kill);
      }),
      { numRuns: 25 },
    );
  });

  test('is exact for one twin, also across restarts', () => {
    const step = fc.record({
      pause: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 1500 })),
      takes: fc.integer({ min: 0, max: 30 }),
      isRestarted: fc.boolean(),
    });
    fc.assert(
      fc.property(limits, fc.array(step, { maxLength: 30 }), (key, steps) => {
        const store = temporaryFile();
        let twin = startOn(store);
        const granted: number[] = [];
        let now = NOW;
        for (const { pause, takes, isRestarted } of steps) {
          now += pause;
          for (let i = 0; i < takes; i++) {
            const inWindow = granted.filter((at) => at > now - key.windowMs);
            expect(twin.quota.usage(key, now)).toEqual({
              remaining: key.limit - inWindow.length,
              resetAt: inWindow.length === 0 ? now : inWindow[0]! + key.windowMs,
            });
            const wait = twin.quota.take(key, now);
            if (wait === 0) granted.push(now);
            expect(wait).toBe(inWindow.length === key.limit ? inWindow[0]! + key.windowMs - now : 0);
          }
          if (!isRestarted) continue;
          twin.record.close();
          twin = startOn(store);
        }
        kill(twin);
      }),
      { numRuns: 25 },
    );
  });

  test('costs a killed twin at most its block, a sixteenth of the remaining quota', () => {
    const store = temporaryFile();
    const key = { id: 1, limit: 1600, windowMs: 60_000 };
    const killed = startOn(store);
    expect(killed.quota.take(key, NOW)).toBe(0);
    expect(killed.quota.usage(key, NOW).remaining).toBe(1599);
    kill(killed);
    const next = startOn(store);
    expect(next.quota.usage(key, NOW).remaining).toBe(1500);
    expect(next.quota.usage(key, NOW + 61_000).remaining).toBe(1600);
  });

  test('is shared by two twins of a store, grant by grant once they have seen each other', () => {
    const store = temporaryFile();
    const key = { id: 1, limit: 50, windowMs: 60_000 };
    const [a, b] = [startOn(store), startOn(store)];
    const granted = { a: 0, b: 0 };
    const now = (i: number): number => NOW + i;
    const askBoth = (from: number, rounds: number): void => {
      for (let i = from; i < from + 2 * rounds; i += 2) {
        if (a.quota.take(key, now(i)) === 0) granted.a += 1;
        if (b.quota.take(key, now(i + 1)) === 0) granted.b += 1;
      }
    };
    // The first of them takes three before it knows.
    askBoth(0, 5);
    for (let round = 5; round < 40; round++) {
      askBoth(2 * round, 1);
      const remaining = Math.max(0, key.limit - granted.a - granted.b);
      expect(a.quota.usage(key, now(2 * round + 2)).remaining).toBe(remaining);
      expect(b.quota.usage(key, now(2 * round + 2)).remaining).toBe(remaining);
    }
    expect(granted.a + granted.b).toBe(key.limit);
    expect(Math.abs(granted.a - granted.b)).toBeLessThanOrEqual(6);
  });

  test('is separate for each key', () => {
    const { quota } = startOn(temporaryFile());
    expect(quota.take({ id: 1, limit: 1, windowMs: 10 }, NOW)).toBe(0);
    expect(quota.take({ id: 2, limit: 1, windowMs: 10 }, NOW)).toBe(0);
    expect(quota.take({ id: 1, limit: 1, windowMs: 10 }, NOW)).toBe(10);
  });

  test('applies a lowered limit as soon as enough requests have expired', () => {
    const { quota } = startOn(temporaryFile());
    const wide = { id: 1, limit: 3, windowMs: 10 };
    for (const at of [0, 1, 2]) quota.take(wide, NOW + at);
    expect(quota.take({ ...wide, limit: 1 }, NOW + 3)).toBe(9);
    expect(quota.usage({ ...wide, limit: 1 }, NOW + 3).remaining).toBe(0);
  });

  test('of a replaced store is discarded', () => {
    const store = temporaryFile();
    const key = { id: 1, limit: 2, windowMs: 60_000 };
    const before = startOn(store);
    before.quota.take(key, NOW);
    before.record.close();
    expect(startOn(store, 'another').quota.usage(key, NOW).remaining).toBe(2);
  });

  test('is not granted if it cannot be recorded', () => {
    const { quota, record } = startOn(temporaryFile());
    const key = { id: 1, limit: 1, windowMs: 60_000 };
    record.client.pragma('query_only = on');
    expect(() => quota.take(key, NOW)).toThrow('readonly');
    record.client.pragma('query_only = off');
    expect(quota.take(key, NOW)).toBe(0);
    expect(quota.take(key, NOW)).toBe(60_000);
  });

  test('leaves no rows when its windows are over', () => {
    const store = temporaryFile();
    const key = { id: 1, limit: 1000, windowMs: 10 };
    const first = startOn(store);
    for (let i = 0; i < 100; i++) first.quota.take(key, NOW + i);
    first.record.close();
    const { record } = startOn(store, 'store', { ...still, now: () => NOW + 1000 });
    expect(record.client.prepare('select count(*) from blocks').pluck().get()).toBeGreaterThan(0);
    record.close();
    expect(startOn(store).record.client.prepare('select count(*) from blocks').pluck().get()).toBe(0);
  });
});

test('token-info is exact with 64 concurrent clients, and the limit holds', async () => {
  const db = temporaryStore();
  addUser(db, { restId: '1', screenName: 'ada' });
  const twin = await testTwin({ db, clock: testClock(), key: { limit: 500, windowMs: 60_000 } });
  let granted = 0;
  async function client(requests: number): Promise<void> {
    for (let i = 0; i < requests; i++) {
      const { status } = await twin.get('user-profile', { screenName: 'ada' });
      expect([200, 429]).toContain(status);
      if (status === 200) granted += 1;
    }
  }
  await Promise.all(Array.from({ length: 64 }, () => client(5)));
  expect(granted).toBe(320);
  expect(await twin.data('token-info')).toMatchObject({ app_limit: 500, remaining: 180 });
  await Promise.all(Array.from({ length: 64 }, () => client(5)));
  expect(granted).toBe(500);
  expect(await twin.data('token-info')).toMatchObject({ remaining: 0 });
});
