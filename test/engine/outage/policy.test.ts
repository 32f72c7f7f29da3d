import { describe, expect, test } from 'vitest';
import {
  admitRequest,
  computeProbeDelay,
  recordFailure,
  type RequestFailure,
  PROBE_TIMEOUT,
  releaseProbe,
  recordSuccess,
  isOpen,
  isRequestHeld,
  NO_OUTAGE,
  listOpenEndpoints,
  type OutageState,
} from '#crawl/gates/outage/breaker-policy.ts';
import { findOutageEvent } from '#crawl/gates/outage/outage-events.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** The state of the circuits of a service that several crawls use. */
function stage() {
  let state: OutageState = NO_OUTAGE;
  let now = 1_800_000_000_000;
  const begin = now;
  return {
    get state() {
      return state;
    },
    get now() {
      return now - begin;
    },
    pass(ms: number) {
      now += ms;
    },
    fails(target: string, more: Partial<RequestFailure> = {}) {
      const before = state;
      const failure: RequestFailure = {
        endpoint: 'followers',
        who: target,
        target,
        sentAt: now,
        now,
        isUnsent: false,
        why: '503',
        random: 1,
        failedBefore: now - MINUTE,
        ...more,
      };
      const { state: after, verdict } = recordFailure(state, failure);
      state = after;
      const event = findOutageEvent(before, after, now)?.event;
      return { ...verdict, isOpen: isRequestHeld(after, failure.endpoint), until: verdict.until - now, event };
    },
    succeeds(target: string, { endpoint = 'followers', sentAt = now, who = target } = {}) {
      const before = state;
      state = recordSuccess(state, { endpoint, who, target, sentAt, now, isPage: true });
      return findOutageEvent(before, state, now);
    },
    admits(who: string, endpoint = 'followers') {
      const admission = admitRequest(state, endpoint, who, now);
      state = admission.state;
      return admission.admitted;
    },
    putsBack(who: string) {
      state = releaseProbe(state, who);
    },
  };
}

describe('the circuit of an endpoint', () => {
  test('opens after five failures in a row of any crawls', () => {
    const { fails, admits } = stage();
    for (const target of ['a', 'b', 'c', 'd']) expect(fails(target)).toMatchObject({ isOpen: false, event: undefined });
    expect(admits('f')).toBe('closed');
    expect(fails('e')).toMatchObject({ isOpen: true, isService: false, event: 'opened' });
    expect(admits('f')).toBe('no');
  });

  test('stays closed if one of five succeeds, and does not affect other endpoints', () => {
    const one = stage();
    for (const target of ['a', 'b', 'c', 'd']) one.fails(target);
    one.succeeds('e');
    for (const target of ['a', 'b', 'c', 'd']) expect(one.fails(target).isOpen).toBe(false);
    one.fails('x');
    expect(listOpenEndpoints(one.state)).toEqual(['followers']);
    expect(one.admits('f', 'search')).toBe('closed');
  });

  test('sends one probe at a time, doubles its back-off up to half a minute and closes at a success', () => {
    const service = stage();
    for (const target of ['a', 'b', 'c', 'd', 'e']) service.fails(target);
    const waits: number[] = [];
    for (let n = 0; n < 11; n++) {
      const at = service.now;
      while (service.admits('a') === 'no') service.pass(100);
      waits.push(service.now - at);
      expect(service.admits('b')).toBe('no');
      service.fails('a');
    }
    expect(waits.map((ms) => ms / SECOND)).toEqual([1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30]);
    service.pass(5 * MINUTE);
    expect(service.admits('b')).toBe('probe');
    const event = service.succeeds('b');
    expect(event).toMatchObject({ event: 'closed', failedProbes: 11 });
    expect(service.admits('a')).toBe('closed');
  });

  test('a probe can be returned, and expires if its process died', () => {
    const { fails, admits, pass, putsBack } = stage();
    for (const target of ['a', 'b', 'c', 'd', 'e']) fails(target);
    pass(SECOND);
    expect(admits('a')).toBe('probe');
    putsBack('a');
    expect(admits('b')).toBe('probe');
    pass(PROBE_TIMEOUT - 1);
    expect(admits('c')).toBe('no');
    pass(1);
    expect(admits('c')).toBe('probe');
  });

  test('requests that were sent before a change of the circuit do not count after it', () => {
    const service = stage();
    const early = 0;
    for (const target of ['a', 'b', 'c', 'd', 'e']) service.fails(target);
    service.succeeds('late', { sentAt: early });
    expect(service.admits('f')).toBe('no');
    service.pass(SECOND);
    expect(service.admits('a')).toBe('probe');
    service.succeeds('a');
    for (const target of ['a', 'b', 'c', 'd', 'e']) service.fails(target, { sentAt: early });
    expect(service.admits('f')).toBe('closed');
  });

  test('a failure other than the probe does not double the back-off', () => {
    const { fails, pass, admits } = stage();
    for (const target of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) fails(target);
    pass(SECOND);
    expect(admits('a')).toBe('probe');
  });
});

describe('the circuit of the service', () => {
  test('opens when five connections in a row fail, at any endpoints', () => {
    const { fails, admits } = stage();
    for (const endpoint of ['followers', 'search', 'followers', 'search'])
      expect(fails('a', { endpoint, isUnsent: true })).toMatchObject({ isOpen: false });
    expect(fails('a', { endpoint: 'user-tweets', isUnsent: true })).toMatchObject({ isService: true, event: 'opened' });
    expect(admits('b', 'following')).toBe('no');
  });

  test('opens with the second endpoint, and a success of a third closes it', () => {
    const service = stage();
    for (const target of ['a', 'b', 'c', 'd', 'e']) service.fails(target);
    const events = ['a', 'b', 'c', 'd', 'e'].map((target) => service.fails(target, { endpoint: 'search' }).event);
    expect(events).toEqual([undefined, undefined, undefined, undefined, 'widened']);
    expect(service.admits('p', 'user-profile')).toBe('no');
    service.pass(SECOND);
    expect(service.admits('p', 'user-profile')).toBe('probe');
    expect(service.admits('q', 'user-profile')).toBe('no');
    expect(service.succeeds('p', { endpoint: 'user-profile' })).toBeUndefined();
    expect(service.admits('q', 'user-profile')).toBe('closed');
    // The two endpoints are probed each by itself.
    expect(isOpen(service.state.service)).toBe(false);
    expect(service.admits('a')).toBe('probe');
    expect(service.succeeds('a')).toBeUndefined();
    expect(service.admits('b', 'search')).toBe('probe');
    expect(service.succeeds('b', { endpoint: 'search' })).toMatchObject({ event: 'closed' });
  });

  test('a failed probe of the service extends the outage', () => {
    const service = stage();
    for (let n = 0; n < 5; n++) service.fails('a', { isUnsent: true });
    service.pass(SECOND);
    expect(service.admits('a')).toBe('probe');
    expect(service.fails('a', { isUnsent: true })).toMatchObject({ isService: true, until: 2 * SECOND });
    service.pass(2 * SECOND - 1);
    expect(service.admits('b', 'search')).toBe('no');
  });
});

describe('Retry-After', () => {
  test('delays the next probe, by fifteen minutes at most', () => {
    const open = (retryAfterMs: number) => {
      const service = stage();
      for (const target of ['a', 'b', 'c', 'd', 'e']) service.fails(target, { retryAfterMs });
      service.pass(Math.min(retryAfterMs, 15 * MINUTE) - 1);
      expect(service.admits('a')).toBe('no');
      service.pass(1);
      return service.admits('a');
    };
    expect(open(600 * SECOND)).toBe('probe');
    expect(open(24 * 60 * MINUTE)).toBe('probe');
  });

  test('delays the crawl that received it while the circuit is closed', () => {
    expect(stage().fails('a', { retryAfterMs: 600 * SECOND })).toMatchObject({ isOpen: false, until: 600 * SECOND });
  });
});

describe('a failure is attributed to the crawl', () => {
  test('if another target of the endpoint succeeded since its last failure', () => {
    const { fails, succeeds, pass } = stage();
    succeeds('b');
    pass(1);
    expect(fails('a').isOwn).toBe(true);
    pass(1);
    expect(fails('a', { failedBefore: 1_800_000_000_002 }).isOwn).toBe(false);
    pass(1);
    succeeds('b');
    succeeds('a');
    expect(fails('a', { failedBefore: 1_800_000_000_003 }).isOwn).toBe(true);
  });

  test('but not if only it or another endpoint succeeded, or no connection was made', () => {
    const { fails, succeeds } = stage();
    succeeds('a');
    succeeds('b', { endpoint: 'search' });
    expect(fails('a').isOwn).toBe(false);
    succeeds('b');
    expect(fails('a', { isUnsent: true }).isOwn).toBe(false);
    expect(fails('a').isOwn).toBe(true);
  });

  test('but not in an outage, nor if it opens the circuit', () => {
    const { fails, succeeds } = stage();
    succeeds('z');
    for (const target of ['a', 'b', 'c', 'd']) fails(target);
    expect(fails('e')).toMatchObject({ isOpen: true, isOwn: false });
  });
});

test('the back-off has jitter from half to full, between a second and five minutes', () => {
  expect([0, 0.5, 0.999].map((random) => computeProbeDelay(3, random, 0))).toEqual([4000, 6000, 7996]);
  expect(computeProbeDelay(0, 0, 0)).toBe(SECOND);
  const longest = [0, 9.9, 10, 59.9, 60, 6000].map((age) => computeProbeDelay(60, 1, age * MINUTE) / SECOND);
  expect(longest).toEqual([30, 30, 60, 60, 300, 300]);
});
