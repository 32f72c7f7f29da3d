import type { EndpointName } from '#service/contract/endpoints.ts';
import { readPage } from '#service/contract/wire-page.ts';
import {
  encodeAnswer,
  type FaultAnswer,
  type FaultRequest,
  type ServiceAnswer,
} from '#twin/faults/definition/fault-row.ts';
import { createFaultInjector } from '#twin/faults/fault-injector.ts';
import type { FaultPlan } from '#twin/faults/fault-table.ts';

/** A service without a server: each target has 23 items on pages of 5. */

export const NOW = Date.parse('2024-06-01T12:00:00.000Z');
const ITEMS = 23;
const SIZE = 5;

export const ALL_IDS = Array.from({ length: ITEMS }, (_, i) => String(1000 - i));

const tweet = (id: string) => ({
  entryId: `tweet-${id}`,
  sortIndex: id,
  content: {
    tweet: { id, text: `tweet ${id}`, created_at: new Date(NOW + Number(id) * 1000).toISOString(), favorite_count: 1 },
  },
});
const user = (id: string) => ({
  entryId: `user-${id}`,
  sortIndex: id,
  content: { user: { id, rest_id: id, name: `User ${id}`, screen_name: `user${id}`, description: 'words' } },
});
const bottom = (value: string) => ({
  entryId: `cursor-bottom-${value}`,
  sortIndex: value,
  content: { entryType: 'TimelineTimelineCursor', __typename: 'TimelineTimelineCursor', value, cursorType: 'Bottom' },
});

export function smallService({ endpoint, cursor, now }: FaultRequest): ServiceAnswer {
  const from = Number(cursor ?? 0);
  if (!Number.isInteger(from) || from % SIZE !== 0) return answer(400, { status: 400 });
  const ids = ALL_IDS.slice(from, from + SIZE);
  const next = from + SIZE < ITEMS ? String(from + SIZE) : undefined;
  const reference = { id: '1', rest_id: '1', name: 'Ada', screen_name: 'ada' };
  const people = (list: string) => ({
    user: reference,
    [list]: {
      timeline: {
        instructions: [{ entries: ids.map(user), ...(next && { cursor: { value: next, cursorType: 'Bottom' } }) }],
      },
    },
  });
  const timeline = { instructions: [{ entries: [...ids.map(tweet), ...(next ? [bottom(next)] : [])] }] };
  const data: Readonly<Partial<Record<EndpointName, object>>> = {
    'token-info': {
      token_type: 'app',
      app_limit: 1000,
      remaining: 500,
      reset_at: new Date(now + 60_000).toISOString(),
      request_history: [],
    },
    'user-profile': { id: '1', userName: 'ada', name: 'Ada', description: 'words', followers: 3, canDm: true },
    'user-tweets': { user: { result: reference }, timeline },
    followers: people('followers'),
    following: people('following'),
    search: { search_metadata: { query: '', count: SIZE }, timeline: { instructions: [{ entries: ids.map(tweet) }] } },
  };
  return answer(200, { data: data[endpoint] });
}

const answer = (status: number, body: unknown): ServiceAnswer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body,
});

export const requestOf = (endpoint: EndpointName, more: Partial<FaultRequest> = {}): FaultRequest => ({
  endpoint,
  key: 'test',
  target: endpoint === 'token-info' ? '' : '1',
  cursor: undefined,
  now: NOW,
  ...more,
});

/** Returns a function that answers like the small service, with the faults of a plan. */
export function createFaultyService(plan: FaultPlan, seed: number): (request: FaultRequest) => FaultAnswer {
  const injectFaults = createFaultInjector({ plan, seed });
  return (request) => {
    const { replacement, cursor, changeAnswer } = injectFaults(request);
    return replacement ?? changeAnswer(smallService({ ...request, cursor }));
  };
}

const TRIES = 50;

/** Reads a list like a patient client: a failed page is requested again, and two empty pages are the end. */
export function readList(
  service: ReturnType<typeof createFaultyService>,
  endpoint: EndpointName,
): { ids: string[]; requests: number } {
  const ids: string[] = [];
  let cursor: string | undefined;
  let requests = 0;
  let empties = 0;
  for (let failures = 0; failures < TRIES;) {
    requests += 1;
    const page = pageOf(service, requestOf(endpoint, { cursor }));
    if (!page) {
      failures += 1;
      continue;
    }
    failures = 0;
    ids.push(...page.items.map(({ value }) => (value as { id: string }).id));
    empties = page.items.length === 0 ? empties + 1 : 0;
    const next = page.cursor.value;
    if (next === null || empties === 2 || requests > 1000) break;
    cursor = next;
  }
  return { ids, requests };
}

function pageOf(service: ReturnType<typeof createFaultyService>, request: FaultRequest) {
  const { status, body, cut, headers } = service(request);
  if (status !== 200 || cut !== undefined || headers['content-encoding'] !== undefined) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(encodeAnswer({ body }));
    return readPage(request.endpoint, JSON.parse(text));
  } catch {
    return undefined;
  }
}
