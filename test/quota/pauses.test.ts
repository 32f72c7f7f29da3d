import { expect, test } from 'vitest';
import { QuotaExceededError, UnauthorizedError } from '#base/errors.ts';
import { createGovernor, type Governor } from '#service/quota/governor.ts';
import type { QuotaEvent } from '#service/quota/ledger/quota-events.ts';
import { describeOnEngines, newPrefix } from './engines.ts';
import { createManualClock } from './manual-clock.ts';
import { spend } from './reservations.ts';

const NOW = 1_800_000_000_000;

/** The pause of a priority, in its workers and in the events. */
describeOnEngines('a pause', (connect) => {
  function stage(options: { remaining: number; limit?: number; resetAt?: number }) {
    const clock = createManualClock(NOW);
    const prefix = newPrefix();
    const events: QuotaEvent[] = [];
    const service = { limit: 100, resetAt: undefined as number | undefined, isDead: false, polls: 0, ...options };
    const draws = [0];
    const open = (): Governor =>
      createGovernor({
        redis: connect(),
        listener: connect(),
        prefix,
        keyId: 'key',
        clock,
        reserve: { share: 0.1 },
        random: () => draws.shift() ?? 0,
        async tokenInfo() {
          const { limit, remaining, resetAt, isDead } = service;
          service.polls += 1;
          if (isDead) throw new UnauthorizedError('401', { status: 401 });
          return {
            limit,
            remaining,
            resetAt,
            at: clock.now(),
          };
        },
        onEvent: (event) => events.push(event),
      });
    return { clock, open, events, service, draws, channel: `${prefix}:quota:{key}:events` };
  }

  /** Collects the published events. */
  async function watch(channel: string): Promise<QuotaEvent[]> {
    const heard: QuotaEvent[] = [];
    const connection = connect();
    connection.on('message', (_channel, message) => heard.push(JSON.parse(message) as QuotaEvent));
    await connection.subscribe(channel);
    return heard;
  }

  test('and its end are logged once by all workers, with reason, level and time', async () => {
    const { clock, open, events, service, channel } = stage({ remaining: 20, resetAt: NOW + 9000 });
    const heard = await watch(channel);
    const workers = [open(), open(), open()];
    for (const worker of workers) expect(await spend(worker, 1, 'backfill')).toBe(0);
    const levels = { at: NOW, until: NOW + 9000, left: 20, headroom: 20 };
    const pause = { event: 'paused', priority: 'backfill', reason: 'low', ...levels };
    expect(events).toMatchObject([pause]);
    await expect.poll(() => heard).toMatchObject([pause]);
    service.remaining = 100;
    clock.pass(9000);
    for (const worker of workers) expect(await spend(worker, 1, 'backfill')).toBe(1);
    const end = { event: 'resumed', priority: 'backfill', reason: 'low', at: NOW + 9000, since: NOW };
    expect(events.slice(1)).toEqual([end]);
    await expect.poll(() => heard.slice(1)).toEqual([end]);
  });

  test('by a Retry-After, and a dead key, are logged once, too', async () => {
    const { clock, open, events } = stage({ remaining: 100 });
    const [one, other] = [open(), open()];
    await spend(one, 3, 'backfill');
    const refusal = new QuotaExceededError('429', { status: 429, retryAfterMs: 7000 });
    await Promise.all([one.reportRefusal(refusal), other.reportRefusal(refusal), other.reportRefusal(refusal)]);
    expect(events).toEqual([
      { event: 'paused', priority: 'all', reason: 'refused', at: NOW, until: NOW + 7000, lookAt: NOW + 7000 },
    ]);
    clock.pass(7000);
    expect(await spend(other, 1, 'backfill')).toBe(1);
    expect(events.slice(1)).toEqual([
      { event: 'resumed', priority: 'all', reason: 'refused', at: NOW + 7000, since: NOW },
    ]);
    await Promise.all([one.reportDeadKey(), other.reportDeadKey()]);
    expect(events.slice(2)).toMatchObject([{ event: 'paused', priority: 'all', reason: 'key_dead', until: null }]);
  });

  test('by a 429 of another process revokes the cached permits of this one (invariant 8)', async () => {
    const { open } = stage({ limit: 100_000, remaining: 100_000 });
    const [one, other] = [open(), open()];
    await spend(one, 40, 'backfill');
    expect((await one.readStatus()).openReservations, 'it has cached permits').toBeGreaterThan(0);
    await other.reportRefusal(new QuotaExceededError('429', { status: 429, retryAfterMs: 7000 }));
    await expect.poll(async () => (await other.readStatus()).openReservations).toBe(0);
    expect(await one.reserve('interactive')).toMatchObject({ granted: false, reason: 'refused' });
  });

  test('rejects requests locally; at its end one process polls for all', async () => {
    const { clock, open, service } = stage({ remaining: 20, resetAt: NOW + 60_000 });
    const governor = open();
    expect(await governor.checkPause('backfill')).toBeUndefined();
    const reservation = await governor.reserve('backfill');
    if (reservation.granted) throw new Error('it should be low');
    const { granted: _granted, ...pause } = reservation;
    expect(await governor.checkPause('backfill')).toEqual(pause);
    expect(await governor.checkPause('interactive'), 'the others go on').toBeUndefined();
    const polls = service.polls;
    clock.pass(pause.lookAt - NOW);
    const looks = await Promise.all(Array.from({ length: 16 }, () => governor.checkPause('backfill')));
    expect(service.polls).toBe(polls + 1);
    expect(looks.every((look) => look !== undefined && look.lookAt > clock.now())).toBe(true);
    expect(await governor.readStatus()).toMatchObject({ openReservations: 0 });
  });

  test('is known to other workers without a request', async () => {
    const { open } = stage({ remaining: 20, resetAt: NOW + 60_000 });
    const [one, other] = [open(), open()];
    expect(await other.checkPause('backfill')).toBeUndefined();
    await spend(one, 1, 'backfill');
    await expect.poll(() => other.checkPause('backfill')).toMatchObject({ until: NOW + 60_000, reason: 'low' });
  });

  test('ends with starts spread over a tenth of its time, at most a second', async () => {
    const { clock, open, service, draws } = stage({ remaining: 20, resetAt: NOW + 5000 });
    const governor = open();
    await spend(governor, 1, 'backfill');
    clock.pass(5000);
    service.remaining = 100;
    draws.splice(0, draws.length, 0, 0.5, 0.9);
    let begun = 0;
    const crawls = [1, 2, 3].map(async () => {
      expect(await governor.checkPause('backfill')).toBeUndefined();
      begun += 1;
    });
    await expect.poll(() => begun).toBe(1);
    clock.pass(249);
    expect(begun).toBe(1);
    clock.pass(1);
    await expect.poll(() => begun).toBe(2);
    clock.pass(200);
    await Promise.all(crawls);
    clock.pass(50);
    expect(await governor.checkPause('backfill')).toBeUndefined();
  });
});
