import { expect, test } from 'vitest';
import {
  ContractError,
  NotFoundError,
  QuotaExceededError,
  type ServiceError,
  TransientError,
  UnauthorizedError,
} from '#base/errors.ts';
import { createGovernor, type Governor, type GovernorOptions, type Reservation } from '#service/quota/governor.ts';
import type { QuotaSample } from '#service/quota/quota-policy.ts';
import { describeOnEngines, newPrefix } from './engines.ts';
import { createManualClock } from './manual-clock.ts';
import { spend } from './reservations.ts';

const NOW = 1_800_000_000_000;
type Answer = Partial<QuotaSample> | Error;

describeOnEngines('the governor', (connect) => {
  /** A governor with a clock and a token-info that the test controls. */
  function stage(first: Answer, options: Partial<GovernorOptions> = {}) {
    const clock = createManualClock(NOW);
    let polls = 0;
    let answer = first;
    let gate: Promise<void> | undefined;
    const samples: QuotaSample[] = [];
    const warnings: string[] = [];
    const prefix = newPrefix();
    const tokenInfo = async (): Promise<QuotaSample> => {
      polls += 1;
      const [said, at] = [answer, clock.now()];
      await gate;
      if (said instanceof Error) throw said;
      return { limit: 100, remaining: 100, resetAt: undefined, at, ...said };
    };
    /** Another worker's governor over the same ledger. */
    const another = (more: Partial<GovernorOptions> = {}): Governor =>
      createGovernor({
        redis: connect(),
        prefix,
        keyId: 'key',
        reserve: { share: 0.1 },
        clock,
        random: () => 0,
        tokenInfo,
        onSample: (sample) => samples.push(sample),
        onWarning: (message) => warnings.push(message),
        ...options,
        ...more,
      });
    return {
      governor: another(),
      another,
      samples,
      warnings,
      polls: () => polls,
      now: clock.now,
      says: (next: Answer) => void (answer = next),
      pass: clock.pass,
      /** Answers of token-info wait until the returned function is called. */
      hold() {
        let open = (): void => undefined;
        gate = new Promise((resolve) => (open = resolve));
        return () => {
          gate = undefined;
          open();
        };
      },
    };
  }

  const refusal = (reservation: Reservation): { until: number; reason: string } =>
    reservation.granted ? { until: 0, reason: 'granted' } : { until: reservation.lookAt, reason: reservation.reason };

  test('fetches token-info before the first request, once for concurrent callers', async () => {
    const { governor, polls, samples } = stage({});
    const reservations = await Promise.all(Array.from({ length: 20 }, () => governor.reserve('interactive')));
    expect(reservations.every(({ granted }) => granted)).toBe(true);
    expect(polls()).toBe(1);
    expect(samples).toEqual([{ limit: 100, remaining: 100, resetAt: undefined, at: NOW }]);
    expect(await governor.readStatus()).toMatchObject({
      limit: 100,
      remaining: 100,
      estimate: 80,
      reserve: 10,
      openReservations: 20,
      priorities: {
        interactive: {
          headroom: 10,
          spendable: 70,
          reason: undefined,
        },
        scheduled: {
          headroom: 15,
          spendable: 65,
        },
        backfill: {
          headroom: 20,
          spendable: 60,
        },
      },
    });
  });

  test('polls again when half of the quota above the reserve is spent, and after 30 s', async () => {
    const { governor, polls, pass, says } = stage({});
    await spend(governor, 45);
    expect(polls()).toBe(1);
    pass(250);
    says({ remaining: 55 });
    await spend(governor, 1);
    expect(polls()).toBe(2);
    pass(30_000);
    await spend(governor, 1);
    expect(polls()).toBe(3);
  });

  test('while one worker polls, another uses the estimate, or waits shortly without one', async () => {
    const { governor, another, hold, polls, pass, now } = stage({});
    const [second, third] = [another(), another()];
    let release = hold();
    const first = governor.reserve('interactive');
    await expect.poll(polls).toBe(1);
    expect(await second.reserve('interactive')).toMatchObject({ granted: false, lookAt: now() + 250, reason: 'low' });
    release();
    expect((await first).granted).toBe(true);
    pass(31_000);
    release = hold();
    const again = governor.reserve('interactive');
    await expect.poll(polls).toBe(2);
    expect((await third.reserve('interactive')).granted).toBe(true);
    release();
    expect((await again).granted).toBe(true);
    expect(polls()).toBe(2);
  });

  test('a low quota pauses all workers until the reset', async () => {
    const { governor, another, says, pass, now } = stage({ remaining: 12, resetAt: NOW + 3000 });
    expect(await spend(governor, 10)).toBe(2);
    pass(250);
    says({ remaining: 10, resetAt: NOW + 3000 });
    expect(refusal(await governor.reserve('interactive'))).toEqual({ until: NOW + 525, reason: 'low' });
    expect(refusal(await another().reserve('interactive'))).toEqual({ until: NOW + 525, reason: 'low' });
    expect(await governor.readStatus()).toMatchObject({
      estimate: 10,
      reserve: 10,
      priorities: { interactive: { pausedSince: NOW + 250, pausedUntil: NOW + 3000, reason: 'low', spendable: 0 } },
    });
    let until = 0;
    while (until < NOW + 3000) {
      ({ until } = refusal(await another().reserve('interactive')));
      expect(until).toBeGreaterThan(now());
      expect(until).toBeLessThanOrEqual(NOW + 3250);
      pass(until - now());
    }
    says({ remaining: 100, resetAt: NOW + 63_000 });
    expect((await another().reserve('interactive')).granted).toBe(true);
  });

  test('each priority stops at its headroom, and resumes when there is more', async () => {
    const { governor, another, says, pass } = stage({});
    const other = another();
    expect(await spend(governor, 100, 'backfill')).toBe(80);
    pass(250);
    says({ remaining: 20 });
    expect(refusal(await other.reserve('backfill')).reason).toBe('low');
    expect(await spend(other, 100, 'scheduled')).toBe(5);
    pass(250);
    says({ remaining: 15 });
    expect(await spend(governor, 100)).toBe(5);
    pass(250);
    says({ remaining: 10 });
    expect(refusal(await governor.reserve('interactive')).reason).toBe('low');
    const { priorities } = await governor.readStatus();
    expect(Object.values(priorities).map(({ reason }) => reason)).toEqual(['low', 'low', 'low']);
    // What comes free is for the first: the others see that they have to wait on.
    pass(5000);
    says({ remaining: 19 });
    expect(await spend(other, 3)).toBe(3);
    expect(refusal(await governor.reserve('scheduled')).reason).toBe('low');
    pass(5000);
    says({ remaining: 90 });
    expect(await spend(other, 3, 'backfill')).toBe(3);
  });

  test('while token-info is out, the last estimate is used down to the headroom and the reserve', async () => {
    const { governor, says, pass } = stage({ remaining: 30 });
    expect(await spend(governor, 1, 'backfill')).toBe(1);
    says(new TransientError('down'));
    pass(31_000);
    expect(await spend(governor, 50, 'backfill')).toBe(9);
    expect(await spend(governor, 50)).toBe(10);
  });

  test('a pause by a clock that is an hour ahead does not last that hour', async () => {
    const ahead = createManualClock(NOW + 3_600_000);
    const { governor, another, says, pass } = stage({ remaining: 10 });
    const early = another({ clock: ahead });
    expect(refusal(await early.reserve('interactive'))).toEqual({ until: NOW + 3_601_000, reason: 'low' });
    expect(refusal(await governor.reserve('interactive'))).toEqual({ until: NOW + 1000, reason: 'low' });
    says({});
    pass(1000);
    expect(await governor.checkPause('interactive')).toBeUndefined();
    expect((await governor.reserve('interactive')).granted).toBe(true);
  });

  test('a pause from before the clock was set back does not last until that time', async () => {
    const clock = createManualClock(NOW);
    const { another, says } = stage({ remaining: 10 });
    const governor = another({ clock });
    expect(refusal(await governor.reserve('interactive'))).toEqual({ until: NOW + 1000, reason: 'low' });
    says({});
    clock.pass(-3_600_000);
    expect(await governor.checkPause('interactive')).toBeUndefined();
  });

  test('a sliding window that frees single requests ends no pause before a batch is free', async () => {
    const resetAt = NOW - 1; // as of a window that says when the next request comes free
    const { governor, says, pass, now } = stage({ remaining: 10, resetAt });
    const looks: number[] = [];
    for (let remaining = 10; now() < NOW + 5000; remaining += 1) {
      says({ remaining, resetAt });
      const { until, reason } = refusal(await governor.reserve('interactive'));
      expect(reason).toBe('low');
      looks.push(until - now());
      pass(until - now());
    }
    expect(looks, 'once a second').toEqual([1000, 1000, 1000, 1000, 1000]);
    expect(await spend(governor, 20), 'its patience is over').toBe(4);
  });

  test('a free batch ends the pause early', async () => {
    const { governor, says, pass } = stage({ remaining: 10, resetAt: NOW + 900_000 });
    expect(refusal(await governor.reserve('interactive'))).toEqual({ until: NOW + 5000, reason: 'low' });
    pass(5000);
    says({ remaining: 14 });
    expect(refusal(await governor.reserve('interactive')).reason).toBe('low');
    pass(5000);
    says({ remaining: 15 });
    expect(await spend(governor, 20)).toBe(5);
  });

  test('an estimate that counts open requests twice pauses only until the next poll', async () => {
    const { governor, pass, says } = stage({});
    const open = await Promise.all(Array.from({ length: 46 }, () => governor.reserve('interactive')));
    pass(250);
    says({ remaining: 54 });
    expect(refusal(await governor.reserve('interactive'))).toEqual({ until: NOW + 500, reason: 'low' });
    for (const reservation of open) if (reservation.granted) governor.settle(reservation.id, true);
    pass(250);
    expect((await governor.reserve('interactive')).granted).toBe(true);
  });

  test('a limit of one can be used', async () => {
    const { governor } = stage({ limit: 1, remaining: 1 });
    expect(await spend(governor, 5)).toBe(1);
  });

  test('a reserve as large as the limit is kept, and logged once', async () => {
    const { governor, warnings, pass } = stage({ limit: 20, remaining: 20 }, { reserve: { requests: 50 } });
    expect(await spend(governor, 5)).toBe(0);
    pass(6000);
    expect(await spend(governor, 5)).toBe(0);
    expect(warnings).toEqual([
      'the reserve is the whole quota of 20 requests: nothing can be sent. Lower TRAWL_RESERVE.',
    ]);
  });

  test('a 429 blocks all workers as long as it says, then token-info is polled first', async () => {
    const { governor, another, pass, polls } = stage({});
    await spend(governor, 3);
    const until = NOW + 7000;
    const error = new QuotaExceededError('429', { status: 429, retryAfterMs: 7000 });
    expect(await governor.reportRefusal(error)).toBe(until);
    expect(await another().reserve('interactive')).toMatchObject({ granted: false, until, reason: 'refused' });
    const all = { pausedUntil: until, reason: 'refused', spendable: 0 };
    const priorities = { interactive: all, scheduled: all, backfill: all };
    expect(await governor.readStatus()).toMatchObject({ priorities });
    pass(7000);
    expect(polls()).toBe(1);
    expect((await another().reserve('interactive')).granted).toBe(true);
    expect(polls()).toBe(2);
  });

  const serverError = new TransientError('500', { status: 500 });
  test.each<[string, ServiceError, Answer, boolean]>([
    ['a 403 while nothing remains', new ContractError('403', { status: 403, body: 'b' }), { remaining: 0 }, true],
    ['a 500 while nothing remains', serverError, { remaining: 0 }, true],
    ['a 429 in any case', new QuotaExceededError('429', { status: 429 }), { remaining: 50 }, true],
    ['a 403 while quota remains', new ContractError('403', { status: 403 }), { remaining: 1 }, false],
    ['no answer at all', new TransientError('cut'), { remaining: 0 }, false],
    ['a 500 when token-info fails too', serverError, serverError, false],
    ['a 401', new UnauthorizedError('401', { status: 401 }), { remaining: 0 }, false],
  ])('%s is explained by the quota or not', async (_name, error, answer, isQuota) => {
    const { governor, says, pass } = stage({});
    await spend(governor, 1);
    pass(1000);
    says(answer);
    const explained = await governor.explainAsQuotaError(error);
    expect(explained instanceof QuotaExceededError).toBe(isQuota);
    const { status, body } = explained ?? error;
    expect({ status, body }).toEqual({ status: error.status, body: error.body });
  });

  test('a 404 costs no poll while the estimate is above the reserve', async () => {
    const { governor, polls } = stage({});
    await spend(governor, 1);
    expect(await governor.explainAsQuotaError(new NotFoundError('404', { status: 404 }))).toBeUndefined();
    expect(polls()).toBe(1);
  });

  test('a dead key stops all workers, and a later start polls once whether it works again', async () => {
    const { governor, another, says, pass, polls } = stage({});
    const running = another();
    await spend(running, 1);
    await governor.reportDeadKey();
    pass(1000);
    says(new UnauthorizedError('401', { status: 401 }));
    const other = another();
    for (const each of [running, other, other])
      expect(refusal(await each.reserve('interactive')).reason).toBe('key_dead');
    expect(polls(), 'the one that starts asks, the one that runs does not').toBe(2);
    expect(await governor.readStatus()).toMatchObject({ priorities: { interactive: { reason: 'key_dead' } } });
    says({});
    expect(refusal(await running.reserve('interactive')).reason).toBe('key_dead');
    expect((await another().reserve('interactive')).granted).toBe(true);
    expect((await running.reserve('interactive')).granted).toBe(true);
  });

  test('a key that token-info refuses is dead', async () => {
    const { governor } = stage(new UnauthorizedError('401', { status: 401 }));
    expect(refusal(await governor.reserve('interactive')).reason).toBe('key_dead');
  });

  test('if token-info never answered, all workers send one request at a time, which is logged once; it recovers by itself', async () => {
    const { governor, another, says, pass, warnings, now } = stage(new NotFoundError('404', { status: 404 }));
    const first = await governor.reserve('interactive');
    expect(first.granted).toBe(true);
    for (const each of [governor, another()]) {
      const second = refusal(await each.reserve('interactive'));
      expect(second.reason).toBe('low');
      expect(second.until).toBeGreaterThan(now());
    }
    if (first.granted) governor.settle(first.id, true);
    expect(await spend(governor, 10)).toBe(10);
    pass(5000);
    expect(await spend(governor, 10)).toBe(10);
    expect(warnings).toEqual(['token-info cannot be asked, so the quota is estimated and 429 is obeyed: 404']);
    pass(5000);
    says({ remaining: 15 });
    expect(await spend(governor, 10)).toBe(5);
  });

  test('a lost ledger is seeded again', async () => {
    const { governor, polls } = stage({});
    const redis = connect();
    await spend(governor, 1);
    await redis.flushall();
    expect((await governor.reserve('interactive')).granted).toBe(true);
    expect(polls()).toBe(2);
  });

  test("the wait for the explanation of an error ends with the caller's signal while token-info hangs", async () => {
    const { governor, hold, polls, pass } = stage({});
    await spend(governor, 1);
    const release = hold();
    pass(60_000);
    const controller = new AbortController();
    const asked = governor.explainAsQuotaError(serverError, controller.signal);
    await expect.poll(polls).toBe(2);
    controller.abort();
    await expect(asked).rejects.toBe(controller.signal.reason);
    release();
  });

  test("checking whether a pause is over ends with the caller's signal, and the pause remains", async () => {
    const { governor, says, hold, polls, pass } = stage({ remaining: 10, resetAt: NOW + 600_000 });
    await spend(governor, 1);
    says({ remaining: 100 });
    const release = hold();
    pass(30_000);
    const controller = new AbortController();
    const before = polls();
    const admitted = governor.checkPause('interactive', controller.signal);
    await expect.poll(polls).toBe(before + 1);
    controller.abort();
    expect(await admitted).toMatchObject({ reason: 'low' });
    release();
  });

  test('a poll that the end of the process aborts does not count as a failure of token-info', async () => {
    const tokenInfo = (signal?: AbortSignal): Promise<QuotaSample> =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new TransientError('cut short'))));
    const { governor, another } = stage({});
    await spend(governor, 1);
    const ended = another({ tokenInfo });
    const controller = new AbortController();
    const explained = ended.explainAsQuotaError(serverError, controller.signal).catch(() => undefined);
    await ended[Symbol.asyncDispose]();
    controller.abort();
    await explained;
    expect(await governor.readStatus()).toMatchObject({ limitSource: 'token-info' });
  });

  test("waiting for token-info ends with the caller's signal", async () => {
    const { governor, hold, polls } = stage({});
    const release = hold();
    const controller = new AbortController();
    const reservation = governor.reserve('interactive', controller.signal);
    await expect.poll(polls).toBe(1);
    controller.abort(new Error('stop'));
    await expect(reservation).rejects.toThrow('stop');
    release();
    expect((await governor.reserve('interactive')).granted).toBe(true);
  });
});
