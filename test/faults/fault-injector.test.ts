import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPage } from '#service/contract/wire-page.ts';
import { encodeAnswer, type FaultAnswer, type FaultRequest } from '#twin/faults/definition/fault-row.ts';
import { createFaultInjector } from '#twin/faults/fault-injector.ts';
import { type FaultPlan, type FaultRule, FAULT_NAMES, type FaultName, faultTable } from '#twin/faults/fault-table.ts';
import { ALL_IDS, createFaultyService, NOW, requestOf, smallService, readList } from './small-service.ts';

const start = (plan: FaultPlan, seed = 1) => {
  const service = createFaultyService(plan, seed);
  return (endpoint: FaultRequest['endpoint'], more?: Partial<FaultRequest>): FaultAnswer =>
    service(requestOf(endpoint, more));
};

/** Which of the first requests are struck. */
const triggeredRequests = (rule: Omit<FaultRule, 'fault'>, count = 12, seed = 1): number[] => {
  const ask = start([{ fault: 'html', ...rule }], seed);
  return Array.from({ length: count }, (_, i) => i + 1).filter(() => ask('followers').appliedFaults.length > 0);
};

const pageOf = (answer: FaultAnswer) => readPage('followers', JSON.parse(encodeAnswer(answer).toString()));
const idsOf = (answer: FaultAnswer): string[] => pageOf(answer).items.map(({ value }) => (value as { id: string }).id);

describe('a rule applies', () => {
  test.each([
    ['always, when it says nothing', {}, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
    ['every 5th request', { every: 5 }, [5, 10]],
    ['at some requests', { at: [3, 7] }, [3, 7]],
    ['after so many', { after: 10 }, [11, 12]],
    ['until so many', { until: 2 }, [1, 2]],
    ['in bursts', { burst: { every: 5, length: 2 } }, [5, 6, 10, 11]],
    ['where all that it says holds', { every: 2, after: 3, until: 8 }, [4, 6, 8]],
    ['never at a rate of 0', { rate: 0 }, []],
    ['on first pages only', { pages: 'first', at: [2] }, [2]],
    ['on next pages only', { pages: 'next' }, []],
    ['at other endpoints only', { endpoints: ['following'] }, []],
  ] as const)('%s', (_, rule, expected) => {
    expect(triggeredRequests(rule as Omit<FaultRule, 'fault'>)).toEqual(expected);
  });

  test('at about its rate, and to other requests with another seed', () => {
    const triggered = triggeredRequests({ rate: 0.2 }, 2000);
    expect(triggered.length).toBeGreaterThan(300);
    expect(triggered.length).toBeLessThan(500);
    expect(triggeredRequests({ rate: 0.2 }, 2000)).toEqual(triggered);
    expect(triggeredRequests({ rate: 0.2 }, 2000, 2)).not.toEqual(triggered);
  });

  test('by its count: the requests of a list, of an endpoint, or of a key', () => {
    const requests: Partial<FaultRequest>[] = [{}, { target: '2' }, { endpoint: 'following' }, { key: 'other' }];
    const triggered = (count: 'target' | 'endpoint' | 'key') => {
      const ask = start([{ fault: 'html', at: [2], count }]);
      return requests.map((request) => ask('followers', request).appliedFaults.length);
    };
    expect(triggered('target')).toEqual([0, 0, 0, 1]);
    expect(triggered('endpoint')).toEqual([0, 1, 0, 0]);
    expect(triggered('key')).toEqual([0, 1, 0, 0]);
  });
});

/** Small, where a fault is large. */
const SIZES: Readonly<Partial<Record<FaultName, object>>> = {
  'huge-page': { bytes: 5000 },
  'deep-nesting': { depth: 99 },
};
const SAMPLES: FaultPlan = FAULT_NAMES.map((fault) => ({ fault, rate: 0.4, lossy: true, ...SIZES[fault] }));
const someRules = fc.subarray([...SAMPLES], { minLength: 1, maxLength: 5 });
const lists = fc.array(fc.constantFrom('followers/1', 'followers/2', 'user-tweets/1', 'token-info/'), {
  maxLength: 40,
});

test('the same seed gives the same responses for any order of lists', () => {
  fc.assert(
    fc.property(fc.integer(), someRules, lists, (seed, plan, order) => {
      const run = (turns: readonly string[]) => {
        const service = createFaultyService(plan, seed);
        const answers = new Map<string, FaultAnswer[]>();
        const cursors = new Map<string, string | undefined>();
        for (const turn of turns) {
          const [endpoint, target] = turn.split('/') as [FaultRequest['endpoint'], string];
          const request = requestOf(endpoint, { target, cursor: cursors.get(turn) });
          const answer = service(request);
          answers.set(turn, [
            ...(answers.get(turn) ?? []),
            { ...answer, body: encodeAnswer(answer).toString('latin1') },
          ]);
          cursors.set(turn, cursorIn(endpoint, answer));
        }
        return Object.fromEntries(answers);
      };
      // revoke-key counts the key's requests, whichever they are.
      fc.pre(!plan.some(({ fault }) => fault === 'revoke-key'));
      expect(run(order)).toEqual(run(order));
      expect(run(order)).toEqual(run(order.toSorted()));
    }),
    { numRuns: 60 },
  );
});

function cursorIn(endpoint: FaultRequest['endpoint'], answer: FaultAnswer): string | undefined {
  try {
    return readPage(endpoint, JSON.parse(encodeAnswer(answer).toString())).cursor.value ?? undefined;
  } catch {
    return undefined;
  }
}

test('an additional rule does not affect the others', () => {
  const alone = start([{ fault: 'server-error', rate: 0.3 }]);
  const beside = start([
    { fault: 'delay', rate: 0.5 },
    { fault: 'server-error', rate: 0.3 },
  ]);
  for (let i = 0; i < 100; i += 1) expect(beside('followers').status).toBe(alone('followers').status);
});

test('error responses of the service are not changed', () => {
  const ask = start([{ fault: 'server-error' }]);
  expect(ask('followers', { cursor: 'nonsense' })).toMatchObject({ status: 400, appliedFaults: [] });
  const answer = smallService(requestOf('followers'));
  const before = structuredClone(answer);
  const injectFaults = createFaultInjector({ plan: SAMPLES.map((rule) => ({ ...rule, rate: 1 })), seed: 1 });
  injectFaults(requestOf('followers')).changeAnswer(answer);
  expect(answer).toEqual(before);
});

const HARMLESS = FAULT_NAMES.filter((name) => faultTable[name].outcome === 'same');

test('a plan of harmless faults neither loses nor adds anything', () => {
  const plans = fc
    .subarray([...HARMLESS], { minLength: 1 })
    // Many at 0.2 each fail so many requests in a row that the walk gives up.
    .map((names) => names.map((fault) => ({ fault, rate: 1.2 / Math.max(6, names.length) })));
  const endpoints = fc.constantFrom('user-tweets' as const, 'followers' as const);
  fc.assert(
    fc.property(fc.integer(), plans, endpoints, (seed, plan, endpoint) => {
      const { ids, requests } = readList(createFaultyService(plan, seed), endpoint);
      expect(new Set(ids)).toEqual(new Set(ALL_IDS));
      expect(requests).toBeLessThan(500);
    }),
    { numRuns: 200 },
  );
});

test('a plan that loses entries needs lossy: true', () => {
  expect(() => createFaultInjector({ plan: [{ fault: 'lose-entries' }], seed: 1 })).toThrow(/set lossy: true/);
  const { ids } = readList(createFaultyService([{ fault: 'lose-entries', lossy: true }], 1), 'followers');
  expect(ids.length).toBeLessThan(ALL_IDS.length);
});

describe('in a list', () => {
  test.each(['new', 'same'] as const)('empty pages never end, with %s cursors', (cursor) => {
    const ask = start([{ fault: 'endless-empty', cursor }]);
    let last = pageOf(ask('followers', { cursor: '20' }));
    expect(last.items).toHaveLength(3);
    const cursors = new Set<string | null>();
    for (let i = 0; i < 5; i += 1) {
      last = pageOf(ask('followers', { cursor: last.cursor.value! }));
      expect(last.items).toEqual([]);
      cursors.add(last.cursor.value);
    }
    expect(cursors.size).toBe(cursor === 'new' ? 5 : 1);
  });

  test('expired cursors stay invalid until the list is read from its start', () => {
    const ask = start([{ fault: 'forget-cursors', at: [3] }]);
    const requests = [undefined, '5', '10', '10', '5', undefined, '10', '5', '10'];
    expect(requests.map((cursor) => ask('followers', { cursor }).status)).toEqual([
      200, 200, 400, 400, 400, 200, 400, 200, 200,
    ]);
  });

  test('moved entries are on the next page, however often it is requested', () => {
    const ask = start([{ fault: 'move-entries', at: [1], entries: 2 }]);
    const first = ask('followers');
    expect(idsOf(first)).toEqual(ALL_IDS.slice(0, 3));
    const next = { cursor: pageOf(first).cursor.value! };
    expect(idsOf(ask('followers', next))).toEqual(ALL_IDS.slice(3, 10));
    expect(idsOf(ask('followers', next))).toEqual(ALL_IDS.slice(3, 10));
    const another = start([{ fault: 'move-entries', at: [1], entries: 2 }]);
    expect(another('followers', next)).toMatchObject({ status: 400, appliedFaults: ['move-entries'] });
  });
});

describe('token-info', () => {
  const readTokenInfo = (plan: FaultPlan, more?: Partial<FaultRequest>) =>
    (start(plan)('token-info', more).body as { data: Record<string, unknown> }).data;

  test('reports a wrong remaining quota, within its range', () => {
    expect(readTokenInfo([{ fault: 'token-info-lies', by: 100 }])['remaining']).toBe(600);
    expect(readTokenInfo([{ fault: 'token-info-lies', by: -700 }])['remaining']).toBe(0);
    expect(readTokenInfo([{ fault: 'token-info-lies', by: 700 }])['remaining']).toBe(1000);
  });

  test.each([
    ['skewed', new Date(NOW + 60_000 + 3_600_000).toISOString()],
    ['past', new Date(NOW - 3_600_000).toISOString()],
    ['far', expect.stringMatching(/^2034/)],
    ['null', null],
    ['text', 'soon'],
    ['absent', undefined],
  ])('has a reset time that is %s', (as, expected) => {
    expect(readTokenInfo([{ fault: 'reset-at', as }])['reset_at']).toEqual(expected);
  });
});

test('each fault is described in a sentence, with its options', () => {
  for (const name of FAULT_NAMES) {
    const { description, options } = faultTable[name as FaultName];
    expect(description).toMatch(/^.*\.$/);
    for (const part of Object.values(options)) expect(part).toHaveProperty('description');
  }
});
