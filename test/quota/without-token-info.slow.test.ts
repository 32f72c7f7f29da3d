import { expect, test, vi } from 'vitest';
import { NotFoundError, QuotaExceededError, TransientError } from '../../src/errors.ts';
import { createGovernor, type Governor } from '../../src/quota/governor.ts';
import type { QuotaEvent } from '../../src/quota/ledger/quota-events.ts';
import type { QuotaSample } from '../../src/quota/policy.ts';
import { describeOnFastestEngine, newPrefix } from './engines.ts';
import { createManualClock } from './manual-clock.ts';
import { createModelWindow, type ModelWindow } from './model-window.ts';
import { reserveWithWaits } from './reservations.ts';

const NOW = 1_800_000_000_000;
const SECOND = 1000;
const LIMIT = 60;
const WINDOW = 6 * SECOND;
/** How long a request takes. */
const PACE = 20;

type Says = (at: number) => Partial<QuotaSample>;
const out: Says = () => {
  throw new NotFoundError('404', { status: 404 });
};

/** Invariant 8 without token-info. These long runs use the fastest engine only; other tests run all scripts on each. */
describeOnFastestEngine('without token-info', (connect) => {
  function stage(service: ModelWindow, first: Says = out) {
    const clock = createManualClock(NOW);
    const stagePrefix = newPrefix();
    const warnings: string[] = [];
    const events: QuotaEvent[] = [];
    let says = first;
    const open = (): Governor =>
      createGovernor({
        redis: connect(),
        prefix: stagePrefix,
        keyId: 'key',
        reserve: { share: 0.1 },
        clock,
        random: () => 0,
        async tokenInfo() {
          const at = clock.now();
          return { limit: LIMIT, remaining: LIMIT, resetAt: undefined, at, ...says(at) };
        },
        onWarning: (message) => warnings.push(message),
        onEvent: (event) => events.push(event),
      });
    const governor = open();
    /** Sends as fast as it may until a time, or so many requests; pauses cost no turns. */
    const work = async (until: number, most = Infinity, by = governor): Promise<void> => {
      for (let n = 0; n < most && clock.now() < until;) {
        const reservation = await by.reserve('interactive');
        if (!reservation.granted) {
          clock.pass(Math.max(1, reservation.lookAt - clock.now()));
          continue;
        }
        n += 1;
        clock.pass(PACE);
        const retryAfterMs = service.ask(clock.now());
        by.settle(reservation.id, true);
        if (retryAfterMs !== undefined)
          await by.reportRefusal(new QuotaExceededError('429', { status: 429, retryAfterMs }));
      }
    };
    return { governor, open, clock, work, warnings, events, says: (next: Says) => void (says = next) };
  }

  test.each([
    ['sliding', true],
    ['fixed', false],
  ])(
    'the limit of a %s window is estimated from the first refusal, and then mostly used with few more refusals',
    async (_name, sliding) => {
      const service = createModelWindow({ limit: LIMIT, windowMs: WINDOW, sliding });
      const { work, governor, warnings } = stage(service);
      await work(NOW + 2 * WINDOW);
      const { limitSource, limit, windowMs } = await governor.readStatus();
      expect({ limitSource, refused: service.refused.length }).toEqual({ limitSource: 'estimated', refused: 1 });
      expect(limit).toBeGreaterThan(0.8 * LIMIT);
      expect(limit).toBeLessThanOrEqual(LIMIT);
      expect(windowMs).toBeGreaterThan(0.8 * WINDOW);
      const before = service.granted.length;
      const windows = 30;
      await work(NOW + (2 + windows) * WINDOW);
      expect(service.granted.length - before).toBeGreaterThan(0.75 * LIMIT * windows);
      expect(service.refused.length).toBeLessThan(windows / 4);
      expect(warnings).toEqual(['token-info cannot be asked, so the quota is estimated and 429 is obeyed: 404']);
    },
  );

  test('it is logged once by all workers, and recovers when token-info does', async () => {
    const service = createModelWindow({ limit: LIMIT, windowMs: WINDOW, sliding: true });
    const { work, open, governor, warnings, says, clock } = stage(service);
    const other = open();
    await work(NOW + WINDOW);
    await work(NOW + 2 * WINDOW, Infinity, other);
    expect(warnings).toHaveLength(1);
    says((at) => ({ remaining: service.remaining(at) }));
    clock.pass(60 * SECOND);
    await work(Infinity, 30);
    await work(Infinity, 5, other);
    expect(warnings.slice(1)).toEqual(['token-info answers again']);
    expect(await governor.readStatus()).toMatchObject({
      limitSource: 'token-info',
      limit: LIMIT,
      estimatedSince: undefined,
    });
  });

  test('when it fails while its window is known, the quota is still used, and not overdrawn', async () => {
    const service = createModelWindow({ limit: LIMIT, windowMs: WINDOW, sliding: true });
    const honest: Says = (at) => ({
      remaining: service.remaining(at),
      resetAt: (service.granted.find((time) => time > at - WINDOW) ?? at) + WINDOW,
    });
    const { work, governor, says, clock } = stage(service, honest);
    await work(NOW + 2 * WINDOW);
    expect((await governor.readStatus()).windowMs).toBeGreaterThan(0.9 * WINDOW);
    says(() => {
      throw new TransientError('down');
    });
    const before = service.granted.length;
    const since = clock.now();
    await work(since + 10 * WINDOW);
    expect(await governor.readStatus()).toMatchObject({ limitSource: 'estimated', limit: LIMIT });
    expect(service.refused).toEqual([]);
    expect(service.granted.length - before).toBeGreaterThan(0.75 * LIMIT * 10);
  });

  test('if it reports quota while requests are refused, the refusals count, and it is tried again later', async () => {
    const service = createModelWindow({ limit: LIMIT, windowMs: WINDOW, sliding: true });
    const lies: Says = () => ({ limit: 100_000, remaining: 90_000 });
    const { work, governor, warnings, events, says, clock } = stage(service, lies);
    const windows = 30;
    await work(NOW + windows * WINDOW);
    expect(service.refused.length).toBeLessThan(windows / 3);
    expect(await governor.readStatus()).toMatchObject({ limitSource: 'both' });
    expect(warnings).toEqual([expect.stringMatching(/^token-info is not believed for now/)]);
    expect(events.filter(({ event }) => event === 'distrusted')).toHaveLength(1);
    says((at) => ({ remaining: service.remaining(at) }));
    clock.pass(20 * 60 * SECOND);
    await work(clock.now() + 3 * WINDOW);
    expect(warnings.slice(1)).toEqual(['token-info is believed again']);
    expect(await governor.readStatus()).toMatchObject({ limitSource: 'token-info', limit: LIMIT });
  });

  test('one contradiction does not count: quota of other clients may have been freed', async () => {
    const service = createModelWindow({ limit: LIMIT, windowMs: WINDOW, sliding: true });
    const { work, governor, clock } = stage(service, (at) => ({ remaining: service.remaining(at) }));
    await work(NOW + WINDOW, 3);
    await governor.reportRefusal(new QuotaExceededError('429', { status: 429, retryAfterMs: 1000 }));
    clock.pass(1000);
    await work(clock.now() + WINDOW, 3);
    expect(await governor.readStatus()).toMatchObject({ limitSource: 'token-info' });
  });

  test('a poll that started before the refusal is no contradiction', async () => {
    let left = LIMIT;
    let release: (() => void) | undefined;
    let holds = false;
    const clock = createManualClock(NOW);
    const events: QuotaEvent[] = [];
    const governor = createGovernor({
      redis: connect(),
      prefix: newPrefix(),
      keyId: 'key',
      reserve: { share: 0.1 },
      clock,
      random: () => 0,
      async tokenInfo() {
        const sample = {
          limit: LIMIT,
          remaining: left,
          resetAt: undefined,
          at: clock.now(),
        };
        if (holds) await new Promise<void>((resolve) => (release = resolve));
        return sample;
      },
      onEvent(event) {
        events.push(event);
        if (event.event !== 'paused' || event.reason !== 'refused') return;
        holds = false;
        release?.();
      },
    });
    for (let n = 0; n < 4; n++) {
      left = LIMIT;
      clock.pass(60 * SECOND);
      const sent = await reserveWithWaits(governor, ({ lookAt }) => clock.pass(lookAt - clock.now()));
      clock.pass(60 * SECOND);
      holds = true;
      release = undefined;
      const waiting = governor.reserve('interactive');
      await vi.waitFor(() => expect(release).toBeDefined());
      clock.pass(1);
      left = 0;
      const refused = governor.reportRefusal(new QuotaExceededError('429', { status: 429, retryAfterMs: 1000 }));
      const [reservation] = await Promise.all([waiting, refused]);
      governor.settle(sent, true);
      if (reservation.granted) governor.settle(reservation.id, true);
    }
    expect(events.filter(({ event }) => event === 'distrusted')).toEqual([]);
    expect(await governor.readStatus()).toMatchObject({ limitSource: 'token-info' });
  });

  test('if it reports no quota, requests stop, since the lower value applies', async () => {
    const service = createModelWindow({ limit: LIMIT, windowMs: WINDOW, sliding: true });
    const { work, governor } = stage(service, () => ({ remaining: 0 }));
    await work(NOW + 20 * WINDOW);
    expect(service.granted).toEqual([]);
    expect((await governor.readStatus()).priorities.interactive).toMatchObject({ reason: 'low', pausedSince: NOW });
  });
});
