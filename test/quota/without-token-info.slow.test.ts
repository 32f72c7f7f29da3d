import { expect, test } from 'vitest';
import { NotFoundError, QuotaExceededError, TransientError } from '#base/errors.ts';
import { createGovernor, type Governor } from '#service/quota/governor.ts';
import type { QuotaSample } from '#service/quota/quota-policy.ts';
import { describeOnFastestEngine, newPrefix } from './engines.ts';
import { createManualClock } from './manual-clock.ts';
import { createModelWindow, type ModelWindow } from './model-window.ts';

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
    return { governor, open, clock, work, warnings, says: (next: Says) => void (says = next) };
  }

  test('if it never answered, refusals are obeyed and teach nothing', async () => {
    const service = createModelWindow({ limit: LIMIT, windowMs: WINDOW, sliding: true });
    const { work, governor } = stage(service);
    await work(NOW + 5 * WINDOW);
    expect(service.refused.length).toBeGreaterThan(0);
    // Retry-After is in whole seconds, and a window has six.
    expect(service.refused.length).toBeLessThanOrEqual(5 * 6);
    expect(await governor.readStatus()).toMatchObject({ limitSource: 'unknown', limit: undefined });
  });

  test.each([
    ['sliding', true],
    ['fixed', false],
  ])('when it fails, its last limit of a %s window is still used, and not overdrawn', async (_name, sliding) => {
    const service = createModelWindow({ limit: LIMIT, windowMs: WINDOW, sliding });
    const honest: Says = (at) => ({
      remaining: service.remaining(at),
      resetAt: service.nextReturn(at),
    });
    const { work, governor, warnings, says, clock, open } = stage(service, honest);
    await work(NOW + 2 * WINDOW);
    expect((await governor.readStatus()).windowMs).toBeGreaterThan(0.9 * WINDOW);
    says(() => {
      throw new TransientError('down');
    });
    const before = service.granted.length;
    const since = clock.now();
    await work(since + 5 * WINDOW);
    await work(since + 10 * WINDOW, Infinity, open());
    expect(await governor.readStatus()).toMatchObject({ limitSource: 'estimated', limit: LIMIT });
    expect(service.refused).toEqual([]);
    expect(service.granted.length - before).toBeGreaterThan(0.75 * LIMIT * 10);
    expect(warnings).toEqual(['token-info cannot be asked, so the quota is estimated and 429 is obeyed: down']);
    says(honest);
    clock.pass(60 * SECOND);
    await work(Infinity, 5);
    expect(warnings.slice(1)).toEqual(['token-info answers again']);
    expect(await governor.readStatus()).toMatchObject({ limitSource: 'token-info', estimatedSince: undefined });
  });

  test('if it reports no quota, requests stop, since the lower value applies', async () => {
    const service = createModelWindow({ limit: LIMIT, windowMs: WINDOW, sliding: true });
    const { work, governor } = stage(service, () => ({ remaining: 0 }));
    await work(NOW + 20 * WINDOW);
    expect(service.granted).toEqual([]);
    expect((await governor.readStatus()).priorities.interactive).toMatchObject({ reason: 'low', pausedSince: NOW });
  });
});
