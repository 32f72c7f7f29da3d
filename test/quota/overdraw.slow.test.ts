import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { systemClock } from '#base/clock.ts';
import { QuotaExceededError } from '#base/errors.ts';
import { createClient } from '#service/client/client.ts';
import { createGovernor } from '#service/quota/governor.ts';
import { describeOnEngines, newPrefix } from './engines.ts';
import { reserveWithWaits, sleepUntilEnd } from './reservations.ts';
import { serveWindow, type WindowService } from './window-service.ts';

const LIMIT = 60;
const RESERVE = 12;
const WINDOW = 800;
const HOUR = 3_600_000;

/** Workers in processes of their own, as far as the quota is concerned: each with its governor, connection and client. */
async function crawl(
  connect: () => Redis,
  service: WindowService,
  options: { workers: number; slots: number; requests: number },
  onSent = () => {},
): Promise<number[]> {
  const prefix = newPrefix();
  let left = options.requests;
  const done: number[] = [];
  const work = async (worker: number): Promise<void> => {
    await using client = createClient({ baseUrl: service.url, apiKey: 'key' });
    await using governor = createGovernor({
      redis: connect(),
      prefix,
      keyId: 'k',
      reserve: { requests: RESERVE },
      tokenInfo: (signal) => client.tokenInfo(signal),
    });
    const slot = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const id = await reserveWithWaits(governor, sleepUntilEnd(systemClock));
        // The service counts its refusals.
        await client.fetch('search', { rawQuery: 'a' }).catch((error: unknown) => {
          if (!(error instanceof QuotaExceededError)) throw error;
        });
        governor.settle(id, true);
        done[worker] = (done[worker] ?? 0) + 1;
        onSent();
      }
    };
    await Promise.all(Array.from({ length: options.slots }, slot));
  };
  await Promise.all(Array.from({ length: options.workers }, (_, worker) => work(worker)));
  return done;
}

describeOnEngines('invariant 8', (connect) => {
  test.each([
    ['sliding', true],
    ['fixed', false],
  ])('four workers of four slots send more than a %s window allows without a 429', async (_name, sliding) => {
    const service = await serveWindow({ limit: LIMIT, windowMs: WINDOW, sliding });
    const done = await crawl(connect, service, { workers: 4, slots: 4, requests: 90 });
    expect(service.refused['us']).toBe(0);
    expect(service.granted['us']).toHaveLength(90);
    expect(done.filter((requests) => requests > 0).length, 'workers that did work').toBe(4);
  });

  test('the quota above the reserve is used before the window frees any', async () => {
    const service = await serveWindow({ limit: LIMIT, windowMs: HOUR, sliding: true });
    await crawl(connect, service, { workers: 4, slots: 4, requests: LIMIT - RESERVE });
    expect(service.granted['us']).toHaveLength(LIMIT - RESERVE);
    await using client = createClient({ baseUrl: service.url, apiKey: 'key' });
    expect((await client.tokenInfo()).remaining).toBe(RESERVE);
  });

  test('other clients that use at most the reserve between two polls cause no 429', async () => {
    const service = await serveWindow({ limit: LIMIT, windowMs: WINDOW, sliding: true });
    let sent = 0;
    let polls = 0;
    let foreign = 0;
    await crawl(connect, service, { workers: 2, slots: 4, requests: 80 }, () => {
      if (service.polls() !== polls) [polls, foreign] = [service.polls(), 0];
      sent += 1;
      // Half the reserve: an answer that is on its way has not seen what is spent before it arrives.
      if (sent % 4 === 0 && foreign < RESERVE / 2) {
        foreign += 1;
        service.spend();
      }
    });
    expect(service.granted['others']!.length).toBeGreaterThan(5);
    expect(service.refused['us']).toBe(0);
  });
});
