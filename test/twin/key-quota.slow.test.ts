import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createKeyQuota } from '#twin/serve/quota/key-quota.ts';
import { openTwinFile } from '#twin/serve/quota/quota-file.ts';
import { NOW, temporaryFile } from './support.ts';

function startOn(store: string) {
  const file = openTwinFile(store);
  onTestFinished(() => void file.close());
  return { file, quota: createKeyQuota(file) };
}

const steps = fc.array(
  fc.record({
    twin: fc.constantFrom(0, 1),
    pause: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 1500 })),
    takes: fc.integer({ min: 0, max: 30 }),
    end: fc.constantFrom('', '', '', 'kill', 'close'),
  }),
  { maxLength: 40 },
);

const keyWith = (windowMs: fc.Arbitrary<number>) =>
  fc.record({ id: fc.constant(1), limit: fc.integer({ min: 1, max: 80 }), windowMs });

describe('a quota that is recorded', () => {
  test('never grants more than the limit in a window, with two twins that are killed and restarted (invariant 8)', () => {
    const anyKey = keyWith(fc.integer({ min: 1, max: 9000 }));
    fc.assert(
      fc.property(anyKey, steps, (key, taken) => {
        const store = temporaryFile();
        const twins = [startOn(store), startOn(store)];
        const granted: number[] = [];
        let now = NOW;
        for (const { twin, pause, takes, end } of taken) {
          now += pause;
          const { quota, file } = twins[twin]!;
          for (let i = 0; i < takes; i++) {
            const wait = quota.take(key, now);
            expect(wait).toBeGreaterThanOrEqual(0);
            if (wait === 0) granted.push(now);
          }
          expect(quota.usage(key, now).remaining).toBeLessThanOrEqual(
            key.limit - granted.filter((at) => at > now - key.windowMs).length,
          );
          if (end === '') continue;
          if (end === 'close') quota.close();
          file.close();
          twins[twin] = startOn(store);
        }
        for (const start of granted) {
          const inside = granted.filter((at) => at >= start && at < start + key.windowMs);
          expect(inside.length).toBeLessThanOrEqual(key.limit);
        }
        for (const { file } of twins) file.close();
      }),
      { numRuns: 25 },
    );
  });

  test('is exact for one twin, also across restarts, in a window whose intervals are milliseconds', () => {
    const exactKey = keyWith(fc.integer({ min: 1, max: 1999 }));
    fc.assert(
      fc.property(exactKey, steps, (key, taken) => {
        const store = temporaryFile();
        let twin = startOn(store);
        const granted: number[] = [];
        let now = NOW;
        for (const { pause, takes, end } of taken) {
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
          if (end === '') continue;
          twin.quota.close();
          twin.file.close();
          twin = startOn(store);
        }
        twin.file.close();
      }),
      { numRuns: 25 },
    );
  });

  test('costs a killed twin at most its block, a sixteenth of the remaining quota, until its window is over', () => {
    const store = temporaryFile();
    const key = { id: 1, limit: 1600, windowMs: 60_000 };
    const killed = startOn(store);
    expect(killed.quota.take(key, NOW)).toBe(0);
    killed.file.close();
    const next = startOn(store);
    expect(next.quota.usage(key, NOW).remaining).toBe(1500);
    expect(next.quota.usage(key, NOW + 60_000).remaining).toBe(1600);
    next.quota.take(key, NOW + 60_000);
    expect(next.file.prepare('select count(*) from grants').pluck().get()).toBe(1);
  });

  test('is shared by two twins of a store, which together grant exactly the limit', () => {
    const store = temporaryFile();
    const key = { id: 1, limit: 50, windowMs: 60_000 };
    const twins = [startOn(store), startOn(store)];
    const granted = [0, 0];
    for (let i = 0; i < 200; i += 1) if (twins[i % 2]!.quota.take(key, NOW + i) === 0) granted[i % 2]! += 1;
    expect(granted[0]! + granted[1]!).toBe(key.limit);
    expect(Math.abs(granted[0]! - granted[1]!)).toBeLessThanOrEqual(6);
    for (const { quota } of twins) expect(quota.usage(key, NOW + 200).remaining).toBe(0);
  });

  test('is separate for each key', () => {
    const { quota } = startOn(temporaryFile());
    expect(quota.take({ id: 1, limit: 1, windowMs: 10 }, NOW)).toBe(0);
    expect(quota.take({ id: 2, limit: 1, windowMs: 10 }, NOW)).toBe(0);
    expect(quota.take({ id: 1, limit: 1, windowMs: 10 }, NOW)).toBe(10);
  });

  test('is not granted if it cannot be recorded', () => {
    const { quota, file } = startOn(temporaryFile());
    const key = { id: 1, limit: 1, windowMs: 60_000 };
    file.pragma('query_only = on');
    expect(() => quota.take(key, NOW)).toThrow('readonly');
    file.pragma('query_only = off');
    expect(quota.take(key, NOW)).toBe(0);
    expect(quota.take(key, NOW)).toBe(60_000);
  });
});
