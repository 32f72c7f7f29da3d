import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLedger, type Ledger, RESERVATION_LIFE, type Turn } from '../../src/quota/ledger.ts';
import { judge } from '../../src/quota/policy.ts';
import { type Engine, engines, newPrefix } from './engines.ts';

const NOW = 1_800_000_000_000;
const LIMIT = 12;
const FLOOR = 1;

/** A service's own account, and what is under way at one moment of a history. */
interface World {
  readonly ledger: Ledger;
  remaining: number;
  /** Requests sent when nothing remained: the 429s. */
  overdrawn: number;
  now: number;
  serial: number;
  /** Granted and not sent, sent and not settled. */
  readonly granted: string[];
  readonly sent: string[];
  /** A poll that began, and the answer once the service gave it. */
  turn: Turn | undefined;
  answer: number | undefined;
  /** Spent by others since the answer that the estimate is built on, or that may be built on next. */
  foreignSinceApplied: number;
  foreignSinceAnswer: number;
}

/** Everything that can happen between workers and service, in any order. */
const STEPS: Readonly<Record<string, (world: World) => Promise<void> | void>> = {
  async reserve(w) {
    const id = `r${(w.serial += 1)}`;
    const taken = await w.ledger.take(id, w.now, true);
    if (taken.kind === 'granted') w.granted.push(id);
  },
  send(w) {
    const id = w.granted.shift();
    if (!id) return;
    if (w.remaining === 0) w.overdrawn += 1;
    else w.remaining -= 1;
    w.sent.push(id);
  },
  async settle(w) {
    const id = w.sent.pop();
    if (id) await w.ledger.settle(id, true);
  },
  async roundTrip(w) {
    await STEPS['reserve']!(w);
    await STEPS['send']!(w);
    await STEPS['settle']!(w);
  },
  async giveBack(w) {
    const id = w.granted.pop();
    if (id) await w.ledger.settle(id, false);
  },
  async askBegins(w) {
    w.turn = (await w.ledger.begin('me', w.now, true)) ?? w.turn;
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
    const applied = await w.ledger.apply(w.turn, sample, FLOOR);
    if (applied) {
      w.foreignSinceApplied = w.foreignSinceAnswer;
      await w.ledger.record('me', judge({ ...applied, now: w.now, limit: LIMIT, floor: FLOOR, resetAt: undefined }));
    }
    w.turn = undefined;
    w.answer = undefined;
  },
  othersSpend(w) {
    if (w.remaining === 0 || Math.max(w.foreignSinceApplied, w.foreignSinceAnswer) >= FLOOR) return;
    w.remaining -= 1;
    w.foreignSinceApplied += 1;
    w.foreignSinceAnswer += 1;
  },
  windowFrees(w) {
    w.remaining = Math.min(LIMIT, w.remaining + 2);
  },
  timePasses(w) {
    w.now += 300;
  },
};

describe.each(engines)('the ledger on %s', (name, start) => {
  let engine: Engine;
  let redis: Redis;
  beforeAll(async () => {
    engine = await start();
    redis = engine.connect();
  });
  afterAll(() => engine[Symbol.asyncDispose]());
  const open = (): Ledger => createLedger({ redis, key: `${newPrefix()}:quota:key` });
  const seed = async (ledger: Ledger, remaining: number, at = NOW): Promise<void> => {
    const turn = await ledger.begin('seed', at, true);
    await ledger.apply(turn!, { limit: LIMIT, remaining, resetAt: undefined, at }, FLOOR);
    await ledger.record('seed', { pollBelow: FLOOR });
  };

  test('law 8: no history of reservations, answers and strangers overdraws, while strangers take at most the reserve between polls', async () => {
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
        numRuns: name === 'redis-server' ? 400 : 40,
        examples: [
          // What was sent and settled after the service had answered is not in the answer.
          [['askBegins', 'serviceAnswers', 'roundTrip', 'answerArrives', 'othersSpend', 'roundTrip', 'roundTrip'], 3],
          // Nor is what is still open.
          [['reserve', 'othersSpend', 'send', 'othersSpend', 'reserve', 'send'], 3],
        ],
      },
    );
  });

  test('hands out what lies above the reserve, and not one more', async () => {
    const ledger = open();
    await seed(ledger, LIMIT);
    const taken = await Promise.all(Array.from({ length: 30 }, (_, i) => ledger.take(`r${i}`, NOW, true)));
    expect(taken.filter(({ kind }) => kind === 'granted')).toHaveLength(LIMIT - FLOOR);
  });

  test('what was not sent is given back, what was is spent', async () => {
    const ledger = open();
    await seed(ledger, FLOOR + 1);
    await ledger.take('a', NOW, true);
    await ledger.settle('a', false);
    expect(await ledger.take('b', NOW, true)).toEqual({ kind: 'granted' });
    await ledger.settle('b', true);
    expect((await ledger.take('c', NOW, true)).kind).toBe('wait');
    expect(await ledger.snapshot()).toMatchObject({ estimate: FLOOR, open: 0 });
  });

  test('a reservation whose worker died counts as spent when it expires', async () => {
    const ledger = open();
    await seed(ledger, FLOOR + 1);
    await ledger.take('a', NOW, true);
    expect((await ledger.take('b', NOW + RESERVATION_LIFE, true)).kind).toBe('wait');
    expect(await ledger.snapshot()).toMatchObject({ open: 0, estimate: FLOOR });
  });

  test('an answer that was overtaken by a later one changes nothing', async () => {
    const ledger = open();
    const [early, late] = [await ledger.begin('a', NOW, true), await ledger.begin('b', NOW, true)];
    await ledger.apply(late!, { limit: LIMIT, remaining: 5, resetAt: undefined, at: NOW }, FLOOR);
    expect(
      await ledger.apply(early!, { limit: LIMIT, remaining: 9, resetAt: undefined, at: NOW }, FLOOR),
    ).toBeUndefined();
    expect(await ledger.snapshot()).toMatchObject({ estimate: 5 });
  });

  test('one polls at a time, and not sooner than 250 ms after the last', async () => {
    const ledger = open();
    const turn = await ledger.begin('a', NOW, false);
    expect(turn).toBeDefined();
    expect(await ledger.begin('b', NOW + 1000, false)).toBeUndefined();
    await ledger.record('a', {});
    expect(await ledger.begin('b', NOW + 249, false)).toBeUndefined();
    expect(await ledger.begin('b', NOW + 250, false)).toBeDefined();
  });

  test('a refusal holds until a poll that began after it, whatever a poll before it says', async () => {
    const ledger = open();
    await seed(ledger, LIMIT);
    const before = await ledger.begin('a', NOW, true);
    expect(await ledger.refuse(NOW + 1000)).toBe(NOW + 1000);
    expect(await ledger.refuse(NOW + 500), 'a later 429 never shortens the block').toBe(NOW + 1000);
    await ledger.apply(before!, { limit: LIMIT, remaining: LIMIT, resetAt: undefined, at: NOW }, FLOOR);
    expect(await ledger.take('r', NOW + 999, false)).toEqual({ kind: 'refused', until: NOW + 1000 });
    expect(await ledger.take('r', NOW + 1000, false)).toEqual({ kind: 'ask', usable: false });
    await seed(ledger, LIMIT, NOW + 1000);
    expect(await ledger.take('r', NOW + 1000, false)).toEqual({ kind: 'granted' });
  });

  test('a dead key stays dead until a later poll succeeds', async () => {
    const ledger = open();
    await ledger.die();
    expect(await ledger.take('r', NOW, true)).toEqual({ kind: 'dead' });
    await seed(ledger, LIMIT);
    expect(await ledger.take('r', NOW, true)).toEqual({ kind: 'granted' });
  });
});
