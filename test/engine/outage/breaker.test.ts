import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Breaker, createBreaker, type Passage } from '../../../src/engine/outage/breaker.ts';
import { isOpen, openEndpoints } from '../../../src/engine/outage/circuit.ts';
import type { OutageEvent } from '../../../src/engine/outage/events.ts';
import { FAILURES_TO_OPEN, PROBE_LIFE } from '../../../src/engine/outage/policy.ts';
import { type Engine, engines, newPrefix } from '../../quota/engines.ts';
import { createManualClock } from '../../quota/manual-clock.ts';

const NOW = 1_800_000_000_000;
const SECOND = 1000;

describe.each(engines)('the circuit breaker on %s', (_, start) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await start();
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  function stage() {
    const clock = createManualClock(NOW);
    const prefix = newPrefix();
    const events: OutageEvent[] = [];
    const closed: string[] = [];
    const open = (name: string): Breaker =>
      createBreaker({
        ...{ redis: engine.connect(), listener: engine.connect(), prefix, serviceId: 'service', clock },
        random: () => 1,
        onEvent: (event) => events.push(event),
        onClosed: () => closed.push(name),
      });
    return { clock, open, events, closed, prefix };
  }

  const failure = (at: number) => ({
    ...{ endpoint: 'followers', sentAt: at, isUnsent: false, why: '503', failedBefore: at - SECOND },
  });
  const failing = async (passage: Passage, at = NOW) => {
    expect(await passage.enter('followers')).toBeUndefined();
    return await passage.failed(failure(at));
  };

  test('counts the failures of all processes, and tells of an outage once', async () => {
    const { clock, open, events, closed } = stage();
    const [one, two] = [open('one'), open('two')];
    for (let n = 0; n < FAILURES_TO_OPEN; n++) await failing((n % 2 ? one : two).begin(`t${n}`));
    expect(openEndpoints(await one.state())).toEqual(['followers']);
    const look = async (breaker: Breaker) => await breaker.begin('x').look('followers');
    expect(await look(one)).toMatchObject({ isService: false, probeAt: NOW + SECOND });
    expect(await look(two)).toBeDefined();
    clock.pass(SECOND);
    const prober = two.begin('x');
    expect(await prober.look('followers')).toBeUndefined();
    expect(await look(one)).toBeDefined();
    await prober.enter('followers');
    await prober.succeeded('followers', clock.now());
    await prober.leave();
    clock.pass(SECOND);
    expect(await look(one)).toBeUndefined();
    expect(events.map(({ event }) => event)).toEqual(['opened', 'closed']);
    expect(events[1]).toMatchObject({ since: NOW, failedProbes: 0, turnedAway: expect.any(Number) });
    expect(new Set(closed)).toEqual(new Set(['one', 'two']));
  });

  test('a turn to probe that was not used goes to the next, and one of a dead process after a minute', async () => {
    const { clock, open } = stage();
    const breaker = open('one');
    for (let n = 0; n < FAILURES_TO_OPEN; n++) await failing(breaker.begin(`t${n}`));
    clock.pass(SECOND);
    const first = breaker.begin('a');
    expect(await first.look('followers')).toBeUndefined();
    await first.leave();
    expect(await breaker.begin('b').look('followers')).toBeUndefined();
    expect(await breaker.begin('c').look('followers')).toBeDefined();
    clock.pass(PROBE_LIFE);
    expect(await breaker.begin('d').look('followers')).toBeUndefined();
  });

  test('of requests that begin after a failure, only those are sent that can open the circuit', async () => {
    const { open } = stage();
    const breaker = open('one');
    const early = Array.from({ length: 8 }, (__, n) => breaker.begin(`t${n}`));
    for (const passage of early) expect(await passage.enter('followers')).toBeUndefined();
    await early[0]!.failed(failure(NOW));
    const late = Array.from({ length: 8 }, (__, n) => breaker.begin(`u${n}`));
    const entering = late.map((passage) => passage.enter('followers'));
    for (const passage of early.slice(1)) await passage.failed(failure(NOW));
    const holds = await Promise.all(entering);
    expect(holds.filter((hold) => hold === undefined)).toEqual([]);
  });

  test('a success lets those go on that waited for an outcome', async () => {
    const { open } = stage();
    const breaker = open('one');
    const early = Array.from({ length: 6 }, (__, n) => breaker.begin(`t${n}`));
    for (const passage of early) await passage.enter('followers');
    await early[0]!.failed(failure(NOW));
    const entering = breaker.begin('u').enter('followers');
    await early[1]!.succeeded('followers', NOW);
    expect(await entering).toBeUndefined();
  });

  test('a Redis that was emptied learns the state from who knows it', async () => {
    const { open, clock } = stage();
    const breaker = open('one');
    for (let n = 0; n < FAILURES_TO_OPEN; n++) await failing(breaker.begin(`t${n}`));
    await engine.connect().flushall();
    clock.pass(300);
    expect(await breaker.begin('x').look('followers')).toBeDefined();
    const other = open('two');
    clock.pass(300);
    await breaker.begin('z').failed(failure(NOW));
    expect(openEndpoints(await other.state())).toEqual(['followers']);
  });
});

test('without Redis, the process goes on by what it knows itself', async () => {
  const [, start] = engines[0]!;
  const engine = await start();
  const redis = engine.connect();
  redis.options.maxRetriesPerRequest = 0;
  await engine[Symbol.asyncDispose]();
  onTestFinished(() => redis.disconnect());
  const clock = createManualClock(NOW);
  const breaker = createBreaker({ redis, prefix: 'x', serviceId: 's', clock, random: () => 1 });
  for (let n = 0; n < FAILURES_TO_OPEN; n++)
    await breaker
      .begin(`t${n}`)
      .failed({ endpoint: 'search', sentAt: NOW, isUnsent: true, why: 'refused', failedBefore: 0 });
  expect(isOpen((await breaker.state()).service)).toBe(true);
  expect(await breaker.begin('x').look('followers')).toMatchObject({ isService: true });
  clock.pass(SECOND);
  const prober = breaker.begin('x');
  expect(await prober.look('followers')).toBeUndefined();
  await prober.succeeded('followers', clock.now());
  expect(await breaker.begin('y').look('search')).toBeUndefined();
});
