import { expect, onTestFinished, test } from 'vitest';
import { FAILURES_TO_OPEN, PROBE_TIMEOUT, isOpen, listOpenEndpoints } from '#crawl/gates/outage/breaker-policy.ts';
import { type Breaker, createBreaker, type BreakerSession } from '#crawl/gates/outage/breaker.ts';
import type { OutageEvent } from '#crawl/gates/outage/outage-events.ts';
import { describeOnEngines, engines, newPrefix } from '../../quota/engines.ts';
import { createManualClock } from '../../quota/manual-clock.ts';

const NOW = 1_800_000_000_000;
const SECOND = 1000;

describeOnEngines('the circuit breaker', (connect) => {
  function stage() {
    const clock = createManualClock(NOW);
    const prefix = newPrefix();
    const events: OutageEvent[] = [];
    const closed: string[] = [];
    const open = (name: string): Breaker =>
      createBreaker({
        redis: connect(),
        listener: connect(),
        prefix,
        serviceId: 'service',
        clock,
        random: () => 1,
        onEvent: (event) => events.push(event),
        onClosed: () => closed.push(name),
      });
    return { clock, open, events, closed, prefix };
  }

  const failure = (at: number) => ({
    endpoint: 'followers',
    sentAt: at,
    isUnsent: false,
    why: '503',
    failedBefore: at - SECOND,
  });
  const failing = async (passage: BreakerSession, at = NOW) => {
    expect(await passage.beginRequest('followers')).toBeUndefined();
    return await passage.reportFailure(failure(at));
  };

  test('counts the failures of all processes, and logs an outage once', async () => {
    const { clock, open, events, closed } = stage();
    const [one, two] = [open('one'), open('two')];
    for (let n = 0; n < FAILURES_TO_OPEN; n++) await failing((n % 2 ? one : two).startSession(`t${n}`));
    expect(listOpenEndpoints(await one.readState())).toEqual(['followers']);
    const look = async (breaker: Breaker) => await breaker.startSession('x').checkEndpoint('followers');
    expect(await look(one)).toMatchObject({ isShared: false, resumeAt: NOW + SECOND });
    expect(await look(two)).toBeDefined();
    clock.pass(SECOND);
    const prober = two.startSession('x');
    expect(await prober.checkEndpoint('followers')).toBeUndefined();
    expect(await look(one)).toBeDefined();
    await prober.beginRequest('followers');
    await prober.reportSuccess('followers', clock.now());
    await prober.close();
    clock.pass(SECOND);
    expect(await look(one)).toBeUndefined();
    expect(events.map(({ event }) => event)).toEqual(['opened', 'closed']);
    expect(events[1]).toMatchObject({ since: NOW, failedProbes: 0 });
    expect(new Set(closed)).toEqual(new Set(['one', 'two']));
  });

  test('an unused probe goes to the next process, and one of a dead process after a minute', async () => {
    const { clock, open } = stage();
    const breaker = open('one');
    for (let n = 0; n < FAILURES_TO_OPEN; n++) await failing(breaker.startSession(`t${n}`));
    clock.pass(SECOND);
    const first = breaker.startSession('a');
    expect(await first.checkEndpoint('followers')).toBeUndefined();
    await first.close();
    expect(await breaker.startSession('b').checkEndpoint('followers')).toBeUndefined();
    expect(await breaker.startSession('c').checkEndpoint('followers')).toBeDefined();
    clock.pass(PROBE_TIMEOUT);
    expect(await breaker.startSession('d').checkEndpoint('followers')).toBeUndefined();
  });

  test('an emptied Redis gets the state from a process that knows it', async () => {
    const { open, clock } = stage();
    const breaker = open('one');
    for (let n = 0; n < FAILURES_TO_OPEN; n++) await failing(breaker.startSession(`t${n}`));
    await connect().flushall();
    clock.pass(300);
    expect(await breaker.startSession('x').checkEndpoint('followers')).toBeDefined();
    const other = open('two');
    clock.pass(300);
    await breaker.startSession('z').reportFailure(failure(NOW));
    expect(listOpenEndpoints(await other.readState())).toEqual(['followers']);
  });
});

test('without Redis, the process uses its own state', async () => {
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
      .startSession(`t${n}`)
      .reportFailure({ endpoint: 'search', sentAt: NOW, isUnsent: true, why: 'refused', failedBefore: 0 });
  expect(isOpen((await breaker.readState()).service)).toBe(true);
  expect(await breaker.startSession('x').checkEndpoint('followers')).toMatchObject({ isShared: true });
  clock.pass(SECOND);
  const prober = breaker.startSession('x');
  expect(await prober.checkEndpoint('followers')).toBeUndefined();
  await prober.reportSuccess('followers', clock.now());
  expect(await breaker.startSession('y').checkEndpoint('search')).toBeUndefined();
});
