import { expect, it } from 'vitest';
import { DAY } from '#base/clock.ts';
import { toRawPage } from '#base/raw-bodies.ts';
import { startBodyExpiry } from '#store/journal/body-expiry.ts';
import { newStore, openLeased, pageOf, readerOf } from './support.ts';

it('bodies expire in batches; steps remain, and the newest body, so that no key is reused', async () => {
  const store = newStore();
  const { id, lease } = await openLeased(store, 0);
  for (let day = 0; day < 100; day++) {
    const raw = toRawPage({
      endpoint: 'followers',
      parameters: '{}',
      status: 200,
      fetchedAt: day * DAY,
      body: Buffer.from('{}'),
    });
    await store.write.commitPage(
      pageOf(id, lease, day * DAY, { bodies: [raw], endpoints: ['followers'], responseIndex: 0 }),
    );
  }
  let now = 100 * DAY;
  const rests: number[] = [];
  let wake = (): void => undefined;
  const clock = {
    now: () => now,
    sleep: async (ms: number, signal?: AbortSignal) => {
      rests.push(ms);
      if (ms < 1000) return;
      await new Promise<void>((resolve, reject) => {
        wake = resolve;
        signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    },
  };
  const left = () => readerOf(store).prepare('select count(*) from raw_pages').pluck().get();
  const settled = async (rounds: number) => {
    while (rests.filter((ms) => ms >= 1000).length < rounds) await new Promise((resolve) => setImmediate(resolve));
  };
  const retention = startBodyExpiry({
    expireBodies: store.write.expireBodies,
    clock,
    ageMs: 30 * DAY,
    onError: (error) => {
      throw error;
    },
  });
  await settled(1);
  // 70 days' bodies are too old: two full bites, and a rest of one.
  expect({ left: left(), rests: rests.length }).toEqual({ left: 30, rests: 3 });
  now += 1000 * DAY;
  wake();
  await settled(2);
  expect(left()).toBe(1);
  await retention[Symbol.asyncDispose]();
  expect(readerOf(store).prepare('select count(*), max(first_raw_page_id) from _steps').raw().get()).toEqual([
    100, 100,
  ]);
});
