import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { beforeAll, expect, test } from 'vitest';
import {
  createLedger,
  type Ledger,
  type PermitRefusal,
  RESERVATION_LIFE,
  type AcquireRequest,
  type PollTurn,
} from '#service/quota/ledger/ledger.ts';
import { mapPriorities, PRIORITIES, type Priority } from '#service/quota/priorities.ts';
import { decidePause, PREFETCH_LIFETIME, MAX_SAMPLE_AGE, PREFETCH_DIVISOR } from '#service/quota/quota-policy.ts';
import { describeOnEngines, newPrefix } from './engines.ts';

const NOW = 1_800_000_000_000;
const LIMIT = 12;
const FLOOR = 1;
const HEADROOMS = { interactive: FLOOR, scheduled: 2, backfill: 4 };

/** The quota as the service counts it, and the requests at a moment of a history. */
interface World {
  readonly ledger: Ledger;
  remaining: number;
  /** Requests sent when nothing remained: the 429s. */
  overdrawn: number;
  now: number;
  serial: number;
  /** Granted and not sent, with the requests of others since the response of the estimate that granted it. */
  readonly granted: { readonly serial: number; foreign: number }[];
  /** Sent and not settled. */
  readonly sent: number[];
  /** A poll that has begun, and the response of the service. */
  turn: PollTurn | undefined;
  answer: number | undefined;
  /** Requests of others since the response of the current estimate, and of the next one. */
  foreignSinceApplied: number;
  foreignSinceAnswer: number;
}

const NOTHING: AcquireRequest = {
  sent: [],
  unsent: [],
  firstSerial: 0,
  wanted: 0,
  prefetch: 0,
  fewest: 1,
  now: NOW,
  force: true,
  priority: 'interactive',
};

/** Requests one permit. */
async function take(
  ledger: Ledger,
  serial: number,
  now: number,
  force: boolean,
  priority: Priority = 'interactive',
): Promise<PermitRefusal | { kind: 'granted' }> {
  const request = { ...NOTHING, firstSerial: serial, wanted: 1, now, force, priority };
  const { granted, refusal } = await ledger.acquire(request);
  expect(granted).toBe(refusal ? 0 : 1);
  return refusal ?? { kind: 'granted' };
}

const settle = (ledger: Ledger, serial: number, sent: boolean): Promise<unknown> =>
  ledger.acquire({ ...NOTHING, [sent ? 'sent' : 'unsent']: [serial] });

async function reserve(w: World, as: Priority): Promise<void> {
  const serial = (w.serial += 1);
  const { kind } = await take(w.ledger, serial, w.now, true, as);
  if (kind === 'granted') w.granted.push({ serial, foreign: w.foreignSinceApplied });
}

/** Everything that can happen between workers and service, in any order. */
const STEPS: Readonly<Record<string, (world: World) => Promise<void> | void>> = {
  reserve: (w) => reserve(w, 'interactive'),
  reserveScheduled: (w) => reserve(w, 'scheduled'),
  reserveBackfill: (w) => reserve(w, 'backfill'),
  send(w) {
    const permit = w.granted.shift();
    if (permit === undefined) return;
    if (w.remaining === 0) w.overdrawn += 1;
    else w.remaining -= 1;
    w.sent.push(permit.serial);
  },
  async settle(w) {
    const serial = w.sent.pop();
    if (serial !== undefined) await settle(w.ledger, serial, true);
  },
  async roundTrip(w) {
    await STEPS['reserve']!(w);
    await STEPS['send']!(w);
    await STEPS['settle']!(w);
  },
  async giveBack(w) {
    const permit = w.granted.pop();
    if (permit !== undefined) await settle(w.ledger, permit.serial, false);
  },
  async askBegins(w) {
    w.turn = (await w.ledger.startPoll('me', w.now, true)) ?? w.turn;
    w.answer = undefined;
  },
  serviceAnswers(w) {
    if (!w.turn) return;
    w.answer = w.remaining;
    w.foreignSinceAnswer = 0;
  },
  async answerArrives(w) {
    if (!w.turn || w.answer === undefined) return;
    const sample = { limit: LIMIT, remaining: w.answer, resetAt: undefined, at: w.now };
    const applied = await w.ledger.applySample(w.turn, sample, HEADROOMS);
    if (applied) {
      w.foreignSinceApplied = w.foreignSinceAnswer;
      const { estimate, open, pauses } = applied;
      const facts = { now: w.now, limit: LIMIT, estimate, open, resetAt: undefined };
      const priorities = mapPriorities((one) => decidePause({ ...facts, ...pauses[one], headroom: HEADROOMS[one] }));
      await w.ledger.record('me', w.now, { priorities });
    }
    w.turn = undefined;
    w.answer = undefined;
  },
  othersSpend(w) {
    const foreign = [w.foreignSinceApplied, w.foreignSinceAnswer, ...w.granted.map((permit) => permit.foreign)];
    if (w.remaining === 0 || Math.max(...foreign) >= FLOOR) return;
    w.remaining -= 1;
    w.foreignSinceApplied += 1;
    w.foreignSinceAnswer += 1;
    for (const permit of w.granted) permit.foreign += 1;
  },
  windowFrees(w) {
    w.remaining = Math.min(LIMIT, w.remaining + 2);
  },
  timePasses(w) {
    w.now += 300;
  },
};

describeOnEngines('the ledger', (connect, numRuns) => {
  let redis: Redis;
  beforeAll(() => void (redis = connect()));
  const open = (): Ledger => createLedger({ redis, key: `${newPrefix()}:quota:key`, holder: 'me' });
  const seed = async (ledger: Ledger, remaining: number, at = NOW, pollBelow = FLOOR): Promise<void> => {
    const turn = await ledger.startPoll('seed', at, true);
    await ledger.applySample(turn!, { limit: LIMIT, remaining, resetAt: undefined, at }, HEADROOMS);
    await ledger.record('seed', at, {
      priorities: mapPriorities((one) => ({ pollBelow: Math.max(pollBelow, HEADROOMS[one]) })),
    });
  };

  test('invariant 8: no history of reservations, answers and strangers overdraws, while strangers take at most the reserve between an answer and the requests it permits', async () => {
    const steps = fc.array(fc.constantFrom(...Object.keys(STEPS), 'roundTrip', 'roundTrip', 'send'), {
      maxLength: 60,
      size: 'max',
    });
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 0, max: LIMIT }), async (history, remaining) => {
        const world: World = {
          ledger: open(),
          remaining,
          overdrawn: 0,
          now: NOW,
          serial: 0,
          granted: [],
          sent: [],
          turn: undefined,
          answer: undefined,
          foreignSinceApplied: 0,
          foreignSinceAnswer: 0,
        };
        await seed(world.ledger, remaining);
        for (const step of history) await STEPS[step]!(world);
        expect(world.overdrawn).toBe(0);
      }),
      {
        numRuns: numRuns(400, 40),
        examples: [
          // What was sent and settled after the service had answered is not in the answer.
          [['askBegins', 'serviceAnswers', 'roundTrip', 'answerArrives', 'othersSpend', 'roundTrip', 'roundTrip'], 3],
          // Nor is what is still open.
          [['reserve', 'othersSpend', 'send', 'othersSpend', 'reserve', 'send'], 3],
        ],
      },
    );
  });

  test('grants exactly the quota above the reserve', async () => {
    const ledger = open();
    await seed(ledger, LIMIT);
    const taken = await Promise.all(Array.from({ length: 30 }, (_, i) => take(ledger, i, NOW, true)));
    expect(taken.filter(({ kind }) => kind === 'granted')).toHaveLength(LIMIT - FLOOR);
  });

  test('a priority gets exactly the quota above its headroom, in any order of requests', async () => {
    const asks = fc.array(fc.constantFrom(...PRIORITIES), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(asks, async (order) => {
        const ledger = open();
        await seed(ledger, LIMIT);
        let left = LIMIT;
        for (const [i, one] of order.entries()) {
          const { kind } = await take(ledger, i, NOW, true, one);
          expect(kind === 'granted', `${one} with ${left} left`).toBe(left > HEADROOMS[one]);
          if (kind === 'granted') left -= 1;
        }
      }),
      { numRuns: numRuns(60, 10) },
    );
  });

  test('the pause of one priority does not affect the others', async () => {
    const ledger = open();
    await seed(ledger, LIMIT);
    const turn = await ledger.startPoll('a', NOW, true);
    const low = { lookAt: NOW + 1000, endsAt: NOW + 9000, pausedSince: NOW };
    await ledger.record(turn!.token, NOW, { priorities: mapPriorities((one) => (one === 'backfill' ? low : {})) });
    const { lookAt, endsAt } = low;
    expect(await take(ledger, 1, NOW, true, 'backfill')).toEqual({ kind: 'low', lookAt, endsAt });
    expect(await take(ledger, 2, NOW, true, 'scheduled')).toEqual({ kind: 'granted' });
    expect((await ledger.readSnapshot()).isUsable).toEqual({ interactive: true, scheduled: true, backfill: false });
  });

  test('permits that were not sent are returned, others are spent', async () => {
    const ledger = open();
    await seed(ledger, FLOOR + 1);
    await take(ledger, 1, NOW, true);
    await settle(ledger, 1, false);
    expect(await take(ledger, 2, NOW, true)).toEqual({ kind: 'granted' });
    await settle(ledger, 2, true);
    expect((await take(ledger, 3, NOW, true)).kind).toBe('wait');
    expect(await ledger.readSnapshot()).toMatchObject({ estimate: FLOOR, open: 0 });
  });

  test('concurrent requests get the quota above the reserve, and the rest waits', async () => {
    const ledger = open();
    await seed(ledger, LIMIT);
    expect(await ledger.acquire({ ...NOTHING, firstSerial: 1, wanted: 30 })).toMatchObject({
      granted: LIMIT - FLOOR,
      prefetched: 0,
      refusal: { kind: 'wait' },
    });
  });

  test('of concurrent requests those before the next poll are granted, and the others poll', async () => {
    const ledger = open();
    await seed(ledger, LIMIT, NOW, 8);
    const now = NOW + 250;
    const traded = await ledger.acquire({ ...NOTHING, firstSerial: 1, wanted: 6, now, force: false });
    expect(traded).toMatchObject({ granted: LIMIT - 8, prefetched: 0, refusal: { kind: 'ask', usable: true } });
    expect(await ledger.readSnapshot()).toMatchObject({ open: LIMIT - 8, estimate: 8 });
  });

  test('extra permits are a small share of the quota before the next poll, and count as open (invariant 8)', async () => {
    const small = fc.integer({ min: 0, max: 40 });
    const left = fc.integer({ min: 0, max: 1500 });
    await fc.assert(
      fc.asyncProperty(left, left, small, small, fc.boolean(), async (remaining, above, wanted, prefetch, force) => {
        const ledger = open();
        const pollBelow = FLOOR + above;
        await seed(ledger, remaining, NOW, pollBelow);
        const request = { ...NOTHING, firstSerial: 1, wanted, prefetch, force };
        const { granted, prefetched, prefetchedUntil } = await ledger.acquire(request);
        const left = remaining - granted - pollBelow;
        expect(prefetched).toBe(wanted && Math.max(0, Math.min(prefetch, Math.floor(left / PREFETCH_DIVISOR))));
        expect(prefetchedUntil).toBe(wanted > 0 && left >= PREFETCH_DIVISOR ? NOW + PREFETCH_LIFETIME : undefined);
        const taken = granted + prefetched;
        expect(await ledger.readSnapshot()).toMatchObject({ open: taken, estimate: remaining - taken });
      }),
      { numRuns: numRuns(100, 30) },
    );
  });

  test('extra permits expire when token-info is due, and none are granted then', async () => {
    const ledger = open();
    await seed(ledger, 1000, NOW, FLOOR);
    const wish = { ...NOTHING, firstSerial: 1, wanted: 1, prefetch: 4, force: false };
    const late = await ledger.acquire({ ...wish, now: NOW + MAX_SAMPLE_AGE - 10 });
    expect(late).toMatchObject({ granted: 1, prefetched: 4, prefetchedUntil: NOW + MAX_SAMPLE_AGE });
    const due = { ...wish, firstSerial: 10, now: NOW + MAX_SAMPLE_AGE };
    expect(await ledger.acquire(due)).toMatchObject({ granted: 0, prefetched: 0, refusal: { kind: 'ask' } });
    const none = { prefetched: 0, prefetchedUntil: undefined };
    expect(await ledger.acquire({ ...due, force: true })).toMatchObject({ granted: 1, ...none });
  });

  test('permits for several requests are granted together, or not at all', async () => {
    const ledger = open();
    const three = { ...NOTHING, firstSerial: 1, wanted: 3, fewest: 3 };
    await seed(ledger, FLOOR + 2);
    expect(await ledger.acquire(three)).toMatchObject({ granted: 0, refusal: { kind: 'wait' } });
    expect(await ledger.readSnapshot()).toMatchObject({ open: 0 });
    await seed(ledger, FLOOR + 3);
    expect(await ledger.acquire(three)).toMatchObject({ granted: 3 });
  });

  test('fewer are granted where there can never be more: by the limit, or while token-info is out', async () => {
    const full = open();
    await seed(full, LIMIT);
    const more = { ...NOTHING, firstSerial: 1, wanted: LIMIT, fewest: LIMIT };
    expect(await full.acquire(more)).toMatchObject({ granted: LIMIT - FLOOR });
    const out = open();
    await seed(out, FLOOR + 2);
    await out.record('', NOW, { all: { outSince: NOW } });
    expect(await out.acquire(more)).toMatchObject({ granted: 2 });
  });

  test('one command settles and acquires: it can acquire what it returns', async () => {
    const ledger = open();
    await seed(ledger, FLOOR + 3);
    expect(await ledger.acquire({ ...NOTHING, firstSerial: 1, wanted: 3 })).toMatchObject({ granted: 3 });
    const next = { ...NOTHING, sent: [1], unsent: [2, 3], first: 4, wanted: 3 };
    expect(await ledger.acquire(next)).toMatchObject({ granted: 2, refusal: { kind: 'wait' } });
    expect(await ledger.readSnapshot()).toMatchObject({ estimate: FLOOR, open: 2, fields: { spent: 1 } });
  });

  test('holders do not settle what another holds', async () => {
    const key = `${newPrefix()}:quota:key`;
    const [mine, yours] = ['me', 'you'].map((holder) => createLedger({ redis, key, holder })) as [Ledger, Ledger];
    await seed(mine, LIMIT);
    await mine.acquire({ ...NOTHING, firstSerial: 1, wanted: 2 });
    await yours.acquire({ ...NOTHING, unsent: [1, 2] });
    expect(await mine.readSnapshot()).toMatchObject({ open: 2 });
  });

  test('a reservation of a dead worker counts as spent when it expires', async () => {
    const ledger = open();
    await seed(ledger, FLOOR + 1);
    await take(ledger, 1, NOW, true);
    expect((await take(ledger, 2, NOW + RESERVATION_LIFE, true)).kind).toBe('wait');
    expect(await ledger.readSnapshot()).toMatchObject({ open: 0, estimate: FLOOR });
  });

  test('a response that was overtaken by a later one changes nothing', async () => {
    const ledger = open();
    const [early, late] = [await ledger.startPoll('a', NOW, true), await ledger.startPoll('b', NOW, true)];
    await ledger.applySample(late!, { limit: LIMIT, remaining: 5, resetAt: undefined, at: NOW }, HEADROOMS);
    const sample = { limit: LIMIT, remaining: 9, resetAt: undefined, at: NOW };
    expect(await ledger.applySample(early!, sample, HEADROOMS)).toBeUndefined();
    expect(await ledger.readSnapshot()).toMatchObject({ estimate: 5 });
  });

  test('one process polls at a time, at least 250 ms after the last poll', async () => {
    const ledger = open();
    const turn = await ledger.startPoll('a', NOW, false);
    expect(turn).toBeDefined();
    expect(await ledger.startPoll('b', NOW + 1000, false)).toBeUndefined();
    await ledger.record('a', NOW, {});
    expect(await ledger.startPoll('b', NOW + 249, false)).toBeUndefined();
    expect(await ledger.startPoll('b', NOW + 250, false)).toBeDefined();
  });

  test('a refusal applies until a poll that started after it', async () => {
    const ledger = open();
    await seed(ledger, LIMIT);
    const before = await ledger.startPoll('a', NOW, true);
    expect(await ledger.recordRefusal(NOW + 1000, NOW)).toMatchObject({ until: NOW + 1000, isFirst: true });
    const later = await ledger.recordRefusal(NOW + 500, NOW);
    expect(later, 'a later 429 never shortens the block').toMatchObject({ until: NOW + 1000, isFirst: false });
    await ledger.applySample(before!, { limit: LIMIT, remaining: LIMIT, resetAt: undefined, at: NOW }, HEADROOMS);
    expect(await take(ledger, 1, NOW + 999, false)).toEqual({ kind: 'refused', until: NOW + 1000 });
    expect(await take(ledger, 1, NOW + 1000, false)).toEqual({ kind: 'ask', usable: false });
    await seed(ledger, LIMIT, NOW + 1000);
    expect(await take(ledger, 1, NOW + 1000, false)).toEqual({ kind: 'granted' });
  });

  test('a dead key stays dead until a later poll succeeds', async () => {
    const ledger = open();
    await ledger.recordDeadKey();
    expect(await take(ledger, 1, NOW, true)).toEqual({ kind: 'dead' });
    await seed(ledger, LIMIT);
    expect(await take(ledger, 1, NOW, true)).toEqual({ kind: 'granted' });
  });
});
