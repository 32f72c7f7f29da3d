import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { beforeAll, expect, test } from 'vitest';
import { type Clock, systemClock } from '#base/clock.ts';
import { QuotaExceededError } from '#base/errors.ts';
import { createGovernor, type Governor } from '#service/quota/governor.ts';
import { RESERVATION_LIFE } from '#service/quota/ledger/ledger.ts';
import { PREFETCH_LIFETIME, MAX_PREFETCH } from '#service/quota/quota-policy.ts';
import { describeOnEngines, newPrefix } from './engines.ts';
import { createManualClock } from './manual-clock.ts';
import { createModelService, type ModelService } from './model-service.ts';
import { reserveWithWaits, sleepUntilEnd } from './reservations.ts';

const NOW = 1_800_000_000_000;
const PLENTY = 100_000;

/** Permits that a process caches in blocks. */
describeOnEngines('cached permits', (connect, numRuns) => {
  let connection: Redis;
  beforeAll(() => void (connection = connect()));

  /** Governors of one key, and the number of their commands. */
  function createGovernors({ service, clock, reserve }: { service: ModelService; clock: Clock; reserve: number }) {
    const prefix = newPrefix();
    const count = { commands: 0 };
    const open = (more: { clock?: Clock; whileAnswering?: () => Promise<void> } = {}): Governor =>
      createGovernor({
        redis: counted(connection, count),
        prefix,
        keyId: 'key',
        reserve: { requests: reserve },
        clock: more.clock ?? clock,
        random: () => 0,
        async tokenInfo() {
          const sample = service.answer(clock.now());
          await more.whileAnswering?.();
          return sample;
        },
      });
    return { open, count };
  }

  function stage(limit = PLENTY) {
    const clock = createManualClock(NOW);
    const service = createModelService({ limit });
    const { open, count } = createGovernors({ service, clock, reserve: 0 });
    return { clock, service, open, count, governor: open() };
  }

  /** Reserves, sends and settles, in so many loops at a time. */
  async function spend(governor: Governor, service: ModelService, requests: number, loops = 1): Promise<void> {
    let left = requests;
    const loop = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const id = await granted(governor);
        service.send();
        await new Promise(setImmediate);
        governor.settle(id, true);
      }
    };
    await Promise.all(Array.from({ length: loops }, loop));
  }

  const granted = async (governor: Governor): Promise<number> => {
    const reservation = await governor.reserve('interactive');
    if (!reservation.granted) throw new Error(`refused: ${reservation.reason}`);
    return reservation.id;
  };

  test('1,000 reservations of 32 loops cost fewer than 50 Redis commands, those of one loop fewer than 100', async () => {
    const { governor, service, count } = stage();
    await spend(governor, service, 1000, 32);
    expect(count.commands).toBeLessThan(50);
    count.commands = 0;
    await spend(governor, service, 1000);
    expect(count.commands).toBeLessThan(100);
    await governor[Symbol.asyncDispose]();
    expect(await governor.readStatus()).toMatchObject({ openReservations: 0, estimate: PLENTY - 2000 });
  });

  test('a process with few requests caches no permits that it will not use', async () => {
    const { governor, clock, service } = stage();
    for (let n = 0; n < 10; n += 1) {
      await spend(governor, service, 1);
      expect(await governor.readStatus()).toMatchObject({ openReservations: 0 });
      clock.pass(3 * PREFETCH_LIFETIME);
    }
  });

  test('a stopping process returns cached permits and settles sent requests, also late ones', async () => {
    const { governor, open, service } = stage();
    const [late, unsent] = [await granted(governor), await granted(governor)];
    service.send();
    await spend(governor, service, 40);
    const other = open();
    expect((await other.readStatus()).openReservations, 'it has cached permits').toBeGreaterThan(2);
    await governor[Symbol.asyncDispose]();
    expect(await other.readStatus()).toMatchObject({ openReservations: 2, estimate: PLENTY - 42 });
    governor.settle(late, true);
    governor.settle(unsent, false);
    await expect.poll(() => other.readStatus()).toMatchObject({ openReservations: 0, estimate: PLENTY - 41 });
  });

  test('a process that stops during a reservation returns its permits', async () => {
    const { governor, open, service } = stage();
    await spend(governor, service, 40, 20);
    const reservations = Array.from({ length: 2 * MAX_PREFETCH }, () => granted(governor));
    await new Promise(setImmediate);
    await governor[Symbol.asyncDispose]();
    for (const id of await Promise.all(reservations)) governor.settle(id, false);
    await expect.poll(() => open().readStatus()).toMatchObject({ openReservations: 0, estimate: PLENTY - 40 });
  });

  test('cached permits of a killed process count as spent when they expire', async () => {
    const { governor: killed, open, service, clock } = stage();
    await spend(killed, service, 40);
    const other = open();
    const before = await other.readStatus();
    expect(before.openReservations).toBeGreaterThan(0);
    expect(before.estimate).toBeLessThan(service.remaining);
    // Its timers do not fire.
    Object.assign(clock, { sleep: () => new Promise(() => undefined) });
    clock.pass(RESERVATION_LIFE);
    service.remaining = 0;
    await other.reserve('interactive');
    expect(await other.readStatus()).toMatchObject({ openReservations: 0, estimate: 0, remaining: 0 });
  });

  test('unused permits are returned soon, and sent requests are settled', async () => {
    const { governor, open, service, clock } = stage();
    await spend(governor, service, 40);
    const other = open();
    expect((await other.readStatus()).openReservations).toBeGreaterThan(0);
    await expect
      .poll(async () => {
        clock.pass(PREFETCH_LIFETIME);
        return await other.readStatus();
      })
      .toMatchObject({ openReservations: 0, estimate: PLENTY - 40 });
  });

  test.each([
    ['its time is over', PREFETCH_LIFETIME],
    ['the clock was set back', -1000],
  ])('a cached permit is not used once %s', async (_name, ms) => {
    const { governor, service, clock, count } = stage();
    await spend(governor, service, 41);
    count.commands = 0;
    governor.settle(await granted(governor), true);
    expect(count.commands, 'it had a cached permit').toBe(0);
    clock.pass(ms);
    governor.settle(await granted(governor), true);
    expect(count.commands).toBe(1);
  });

  test('a 429 returns the cached permits of its process and pauses at once (invariant 8)', async () => {
    const { governor, open, service, clock } = stage();
    await spend(governor, service, 40);
    const reservation = granted(governor);
    const until = await governor.reportRefusal(new QuotaExceededError('429', { status: 429, retryAfterMs: 7000 }));
    governor.settle(await reservation, false);
    expect(await governor.reserve('interactive')).toMatchObject({ granted: false, until, reason: 'refused' });
    expect(await open().reserve('interactive')).toMatchObject({ granted: false, until, reason: 'refused' });
    expect(await governor.readStatus()).toMatchObject({ openReservations: 0, estimate: PLENTY - 40 });
    clock.pass(7000);
    expect((await governor.reserve('interactive')).granted).toBe(true);
  });

  test('permits that arrive after a 429 are returned, too (invariant 8)', async () => {
    const { governor, service } = stage();
    await spend(governor, service, 40, 20);
    const wanted = Array.from({ length: 2 * MAX_PREFETCH }, () => granted(governor));
    await new Promise(setImmediate);
    await governor.reportRefusal(new QuotaExceededError('429', { status: 429, retryAfterMs: 7000 }));
    for (const id of await Promise.all(wanted)) governor.settle(id, false);
    expect(await governor.reserve('interactive')).toMatchObject({ granted: false, reason: 'refused' });
    expect(await governor.readStatus()).toMatchObject({ openReservations: 0, estimate: PLENTY - 40 });
  });

  test('a 429 of another process pauses once the cached block is used up or too old (invariant 8)', async () => {
    const { governor, open, service, clock } = stage();
    const other = open();
    const refuse = () => other.reportRefusal(new QuotaExceededError('429', { status: 429, retryAfterMs: 7000 }));
    await spend(governor, service, 40);
    await refuse();
    let more = 0;
    while ((await governor.reserve('interactive')).granted) more += 1;
    expect(more).toBeLessThanOrEqual(MAX_PREFETCH);
    clock.pass(7000);
    await spend(governor, service, 40);
    await refuse();
    clock.pass(PREFETCH_LIFETIME);
    expect(await governor.reserve('interactive')).toMatchObject({ granted: false, reason: 'refused' });
  });

  test('a dead key is dead for processes with cached permits, too', async () => {
    const { governor, service } = stage();
    await spend(governor, service, 40);
    await governor.reportDeadKey();
    expect(await governor.reserve('interactive')).toMatchObject({ granted: false, reason: 'key_dead' });
    expect(await governor.readStatus()).toMatchObject({ openReservations: 0, estimate: PLENTY - 40 });
  });

  test('four processes of 16 slots use exactly the quota above the reserve (invariant 8)', async () => {
    const [limit, reserve] = [1200, 120];
    const service = createModelService({ limit });
    const { open, count } = createGovernors({ service, clock: systemClock, reserve });
    let left = limit - reserve;
    const work = async (): Promise<void> => {
      await using governor = open();
      const slot = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          const id = await reserveWithWaits(governor, sleepUntilEnd(systemClock));
          service.send();
          await new Promise(setImmediate);
          governor.settle(id, true);
        }
      };
      await Promise.all(Array.from({ length: 16 }, slot));
    };
    await Promise.all(Array.from({ length: 4 }, work));
    expect(service).toMatchObject({ remaining: reserve, overdrawn: 0 });
    expect(count.commands).toBeLessThan((limit - reserve) / 2);
  });

  const RESERVE = 2;
  const worker = fc.integer({ min: 0, max: 3 });
  const moment = fc.record({
    what: fc.constantFrom('work', 'work', 'burst', 'burst', 'burst', 'ask', 'settle', 'kill', 'stop', 'refuse'),
    worker,
    requests: fc.integer({ min: 1, max: 40 }),
    strangers: fc.nat(RESERVE),
    frees: fc.constantFrom(0, 0, 0, 5, 600),
    passes: fc.constantFrom(0, 0, 0, 0, 5, 60, 250, 1000, 31_000, RESERVATION_LIFE),
    /** The requests of others while token-info responds. */
    meanwhile: fc.option(fc.record({ requests: fc.integer({ min: 1, max: 20 }), strangers: fc.nat(RESERVE) })),
  });

  type Moment = typeof moment extends fc.Arbitrary<infer T> ? T : never;
  const then = (nth: number, what: Moment['what'], passes: Moment['passes'] = 0): Moment => {
    const meanwhile = { requests: 20, strangers: RESERVE };
    return { what, worker: nth, requests: 40, strangers: RESERVE, frees: 0, passes, meanwhile };
  };
  const DRAIN = [then(3, 'work'), then(2, 'burst'), then(2, 'burst'), then(2, 'burst')];

  test('blocks, kills, stops, late responses and other clients never overdraw the quota, if other clients use at most half the reserve between two polls (invariant 8)', async () => {
    const total = { commands: 0, sent: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(moment, { maxLength: 40, size: 'max' }), async (history) => {
        const clock = createManualClock(NOW);
        const service = createModelService({ limit: 600, strangersAtMost: RESERVE / 2 });
        const { open, count } = createGovernors({ service, clock, reserve: RESERVE });
        let meanwhile: ((asking: number) => Promise<void>) | undefined;
        const startWorker = (nth: number) => {
          const life = { isAlive: true };
          const whileAnswering = async (): Promise<void> => {
            const happens = meanwhile;
            meanwhile = undefined;
            await happens?.(nth);
          };
          return {
            governor: open({ clock: killableClock(clock, life), whileAnswering }),
            unsettled: [] as number[],
            life,
          };
        };
        const workers = [0, 1, 2, 3].map(startWorker);
        const request = async (nth: number): Promise<void> => {
          const { governor, unsettled } = workers[nth]!;
          const reservation = await governor.reserve('interactive');
          if (!reservation.granted) return;
          service.send();
          unsettled.push(reservation.id);
        };
        const settle = (nth: number): void => {
          const { governor, unsettled } = workers[nth]!;
          for (const id of unsettled.splice(0)) governor.settle(id, true);
        };
        const doing: Readonly<Record<string, (nth: number, requests: number) => Promise<unknown> | void>> = {
          async work(nth, requests) {
            for (let n = 0; n < requests; n += 1) {
              await request(nth);
              if (n % 3 === 0) settle(nth);
            }
          },
          ask: (nth, requests) => Promise.all(Array.from({ length: requests }, () => request(nth))),
          async burst(nth, requests) {
            await doing['ask']!(nth, 6 * requests);
            settle(nth);
          },
          settle,
          kill(nth) {
            workers[nth]!.life.isAlive = false;
            workers[nth] = startWorker(nth);
          },
          async stop(nth) {
            const { governor } = workers[nth]!;
            settle(nth);
            workers[nth] = startWorker(nth);
            await governor[Symbol.asyncDispose]();
          },
          refuse: (nth) => workers[nth]!.governor.reportRefusal(new QuotaExceededError('429', { retryAfterMs: 250 })),
        };

        for (const { what, worker: nth, requests, ...more } of history) {
          const { strangers, frees, passes } = more;
          meanwhile = async (asking) => {
            if (!more.meanwhile) return;
            service.strangersSpend(more.meanwhile.strangers);
            await doing['work']!((asking + 1) % 4, more.meanwhile.requests);
          };
          service.strangersSpend(strangers);
          // Another worker sends a few requests at the same time.
          await Promise.all([doing[what]!(nth, requests), doing['work']!((nth + 1) % 4, 5)]);
          service.remaining = Math.min(service.limit, service.remaining + frees);
          clock.pass(passes);
          expect(service.overdrawn).toBe(0);
        }
        total.commands += count.commands;
        total.sent += service.sent;
        await Promise.all(workers.map(({ governor }) => governor[Symbol.asyncDispose]()));
      }),
      {
        numRuns: numRuns(30, 5),
        examples: [
          // A process with cached permits sleeps until they have expired, and the others use the rest.
          [[then(0, 'work', RESERVATION_LIFE), ...DRAIN, then(0, 'work')]],
          // A process with cached permits comes last, and still has them.
          [[then(0, 'work'), ...DRAIN, then(0, 'work')]],
        ],
      },
    );
    expect(total.commands, 'permits were cached').toBeLessThan(total.sent);
  });
});

/** The clock of a process that can be killed: its sleeps do not end then. */
const killableClock = (clock: Clock, life: { readonly isAlive: boolean }): Clock => ({
  now: clock.now,
  async sleep(ms, signal) {
    await clock.sleep(ms, signal);
    if (!life.isAlive) await new Promise(() => undefined);
  },
});

/** A connection that counts the scripts it runs. */
function counted(redis: Redis, count: { commands: number }): Redis {
  return new Proxy(redis, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      if (!String(property).startsWith('trawlQuota_')) return value.bind(target) as unknown;
      return (...args: unknown[]) => {
        count.commands += 1;
        return (value as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}
