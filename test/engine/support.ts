import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '#base/clock.ts';
import { createLog } from '#base/log.ts';
import { createBudgetCounter } from '#crawl/gates/budget-counter.ts';
import { createDiskGuard } from '#crawl/gates/disk-guard.ts';
import { createBreaker } from '#crawl/gates/outage/breaker.ts';
import type { EngineDependencies } from '#crawl/slice/engine-dependencies.ts';
import type { SliceResult } from '#crawl/slice/slice-result.ts';
import { runSlice } from '#crawl/slice/slice.ts';
import { createRequestCoalescer } from '#service/client/request-coalescing.ts';
import type { EndpointName } from '#service/contract/endpoints.ts';
import { createCrawlSpec } from '#service/kinds/crawl-spec.ts';
import type { CrawlOptions } from '#service/kinds/kinds.ts';
import { createGovernor } from '#service/quota/governor.ts';
import type { Budget } from '#store/schema/commit-messages.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { Store } from '#store/store.ts';
import { clientOf, gzipped, json, serve } from '../client/service.ts';
import { newStore, readerOf } from '../store/support.ts';
import { withRedis } from '../support/redis.ts';

type Parameters = Record<string, string>;
/** What a scripted service answers: `data` of a page, or a status and a body. */
export type Answer =
  | { readonly data: unknown; readonly head?: Record<string, string> }
  | { readonly status: number; readonly body?: string };
export type Script = Partial<Record<EndpointName, (parameters: Parameters, nth: number) => Answer | Promise<Answer>>>;

export const GONE: Answer = { status: 404, body: '{}' };

const PLENTY = {
  token_type: 'app',
  app_limit: 10_000,
  remaining: 9000,
  reset_at: '2030-01-01T00:00:00.000Z',
  account: {},
  request_history: [],
};

export interface CrawlSettings {
  /** How the client sends parameters. */
  readonly method?: 'GET' | 'POST';
  readonly keepRaw?: boolean;
  readonly threaded?: boolean;
  /** The writer thread parses pages. */
  readonly staged?: boolean;
  /** Which metered requests are answered as gzip, counted from 1. */
  readonly isGzip?: (nth: number) => boolean;
}

/** A crawl against a scripted service over real HTTP, with a real store, ledger and Redis. */
export async function crawlAgainst(
  script: Script,
  { method: sentBy, keepRaw = true, threaded = false, staged = false, isGzip = () => false }: CrawlSettings = {},
) {
  const asked: string[] = [];
  const methods: (string | undefined)[] = [];
  const service = await serve(async (response, { method, url, body }) => {
    const endpoint = url.pathname.split('/').at(-1) as EndpointName;
    const parameters = (method === 'POST' ? JSON.parse(body) : Object.fromEntries(url.searchParams)) as Parameters;
    if (endpoint !== 'token-info') {
      asked.push([endpoint, ...Object.values(parameters)].join(' '));
      methods.push(method);
    }
    const isCompressed = endpoint !== 'token-info' && isGzip(asked.length);
    const nth = asked.filter((one) => one.startsWith(endpoint)).length;
    const answer = (await script[endpoint]?.(parameters, nth)) ?? (endpoint === 'token-info' ? { data: PLENTY } : GONE);
    if ('data' in answer) {
      const { head = {}, ...body } = answer;
      for (const [name, value] of Object.entries(head)) response.setHeader(name, value);
      return isCompressed ? gzipped(response, body) : json(response, body);
    }
    response.statusCode = answer.status;
    response.end(answer.body ?? '');
  });
  const client = clientOf(service.url, { method: sentBy });
  const engine = await withRedis();
  const store = newStore(undefined, { threaded });
  const redis = engine.connect();
  onTestFinished(() => redis.disconnect());
  let ahead = 0;
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + ahead };
  const governor = createGovernor({
    redis,
    clock,
    prefix: 'test',
    keyId: store.id,
    tokenInfo: (signal) => client.tokenInfo(signal),
    reserve: { share: 0.1 },
  });
  const breaker = createBreaker({
    redis,
    prefix: 'test',
    serviceId: store.id,
    clock,
    random: () => 0.5,
  });
  /** What the disk is said to have: a test changes it. */
  const disk = { free: 1e9, minFree: 1e6 };
  const ports: EngineDependencies = {
    store,
    breaker,
    disk: createDiskGuard({ read: () => disk, canWrite: () => true, clock }),
    client,
    governor,
    budgets: createBudgetCounter({ queries: store.queries, clock }),
    coalescer: createRequestCoalescer(clock),
    clock,
    random: () => 0.5,
    log: createLog({ level: 'silent' }),
    keepRaw,
    source: { trawlVersion: '1.0.0', serviceHost: 'service.test', keyLabel: 'test' },
    staging: staged ? store.staging : undefined,
    announceCrawls: () => undefined,
  };
  const never = new AbortController().signal;
  /** Lets the time pass that a crawl waits after a failure of its own, as the queue does. */
  const waitOut = (id: number): void => {
    const { reason, resumeAt } = store.read.crawl(id)!;
    if (reason === 'retry') ahead += Math.max(0, (resumeAt ?? 0) - clock.now());
  };

  return {
    store,
    ports,
    waitOut,
    disk,
    pass: (ms: number): void => void (ahead += ms),
    asked,
    /** The methods of the same requests. */
    methods,
    async run(
      kind: string,
      target: string,
      options: CrawlOptions = {},
      budget?: Budget,
    ): Promise<{
      crawl: CrawlRow;
      slice: SliceResult;
    }> {
      const runId = budget && (await store.write.createRun(clock.now(), budget));
      const spec = createCrawlSpec({
        kind,
        target,
        options,
        priority: 'interactive',
      });
      const { id } = (
        await store.write.openCrawls(
          [
            {
              ...spec,
              runId,
            },
          ],
          clock.now(),
        )
      )[0]!;
      waitOut(id);
      for (let n = 0; n < 20; n++) {
        const slice = await runSlice(id, ports, {
          stop: never,
          abort: never,
        });
        if (slice.next !== 'again')
          return {
            slice,
            crawl: store.read.crawl(id)!,
          };
      }
      throw new Error('the crawl does not end');
    },
  };
}

export const reference = (id: string, screen_name: string) => ({ id, rest_id: id, name: screen_name, screen_name });
export const profile = (id: string, userName: string, statusesCount = 3, counts: object = {}) => ({
  data: { id, userName, name: userName, statusesCount, ...counts },
});

/** A cursor entry at the end of a page. */
export const bottom = (value: string) => ({
  entryId: `cursor-bottom-${value}`,
  sortIndex: '0',
  content: { entryType: 'TimelineTimelineCursor', __typename: 'TimelineTimelineCursor', value, cursorType: 'Bottom' },
});

/** A list of entries, with a cursor beside them. */
export const listOf = (entries: readonly unknown[], next: string | null = null) => ({
  instructions: [{ entries, ...(next === null ? {} : { cursor: { value: next, cursorType: 'Bottom' } }) }],
});

export const tweetEntry = (id: string, created_at?: string, more: object = {}) => ({
  entryId: `tweet-${id}`,
  sortIndex: id,
  content: {
    tweet: {
      id,
      text: `tweet ${id}`,
      created_at,
      ...more,
    },
  },
});

/** A day of January 2025 as a service writes it. */
export const dayText = (day: number): string => new Date(Date.UTC(2025, 0, day)).toISOString();

/** A page of user-tweets: tweets by id, `id@time` gives it a time in days of 2025. */
export const timeline = (
  owner: ReturnType<typeof reference>,
  tweets: readonly string[],
  next: string | null,
): Answer => {
  const entries = tweets.map((text) => {
    const [id, day] = text.split('@');
    return tweetEntry(id!, day && dayText(Number(day)));
  });
  const timeline = listOf(next === null ? entries : [...entries, bottom(next)]);
  return { data: { user: { result: owner }, timeline } };
};

/** A page of followers or of followed accounts. */
export const people = (
  endpoint: 'followers' | 'following',
  owner: ReturnType<typeof reference>,
  users: readonly unknown[],
  next: string | null,
): Answer => {
  const entries = users.map((user, i) => ({ entryId: `user-${i}`, sortIndex: `${i}`, content: { user } }));
  return { data: { user: owner, [endpoint]: { timeline: listOf(entries, next) } } };
};

export const followers = (owner: ReturnType<typeof reference>, users: readonly unknown[], next: string | null) =>
  people('followers', owner, users, next);

/** The coverage of a store with one list: `newest oldest end` of each interval, `newer older reason` of each gap. */
export function coverageOf(store: Store): { readonly intervals: unknown[]; readonly gaps: unknown[] } {
  const read = (sql: string): unknown[] => readerOf(store).prepare(sql).pluck().all();
  return {
    intervals: read(
      "select newest_rest_id || ' ' || oldest_rest_id || ' ' || coalesce(list_end, '') from coverage order by newest_at desc",
    ),
    gaps: read(
      "select newer_rest_id || ' ' || coalesce(older_rest_id, '-') || ' ' || reason from gaps order by newer_at desc",
    ),
  };
}
