import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { createSeededRandom, type SeededRandom } from '#base/seeded-random.ts';
import { type EndpointName, endpointTable } from '#service/contract/endpoints.ts';
import type { Events } from './events.ts';
import { type Answer, FAULTS, type FaultName } from './faults.ts';
import { isOut, outageAnswer, type OutagePlan } from './outages.ts';
import { parseAnswer, type ParsedAnswer } from './parse-answer.ts';
import { present, type Presented, type Traits } from './present.ts';
import { isRefused, type RefusalPlan } from './refusals.ts';
import { type ShapePlan, SHAPES } from './shapes.ts';
import type { Truth } from './truth.ts';

export interface QuotaPlan {
  readonly limit: number;
  readonly windowMs: number;
  readonly sliding: boolean;
}

export const isSuccess = (status: number | undefined): boolean => status !== undefined && status >= 200 && status < 300;

/** The sender of a request: an activation of a crawl in a process. */
export interface Sender {
  readonly process: number;
  readonly activation: number;
  readonly crawlId: number;
}

/** One request in the service's log, with its outcome. */
export interface Served {
  readonly n: number;
  readonly sender: Sender;
  readonly endpoint: EndpointName;
  readonly parameters: Readonly<Record<string, string>>;
  /** Times of the request and the response. */
  readonly at: number;
  answeredAt?: number | undefined;
  /** When the response was created; earlier than the request if it is cached. */
  madeAt?: number | undefined;
  /** Whether the service received and counted it. */
  counted: boolean;
  status?: number | undefined;
  fault?: FaultName | undefined;
  /** The service was out. */
  outage?: OutagePlan | undefined;
  /** The service refused it, whatever its target. */
  refusal?: RefusalPlan | undefined;
  /** The quota was used up. */
  overdrawn: boolean;
  /** The content of a valid page; undefined for everything else. */
  parsed?: ParsedAnswer | undefined;
  /** SHA-256 of its body. */
  hash?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Whether the complete response reached a live sender. */
  delivered: boolean;
}

export interface Service {
  readonly log: readonly Served[];
  readonly polls: number;
  /** The times of requests that others sent with the key. */
  readonly strangers: readonly number[];
  /** The network of one process; `sender` is called at each request. */
  connect(sender: () => Sender | undefined): Network;
  /** A crawl shared the response of an equal request, which is logged and costs nothing. */
  recordShared(question: Pick<Served, 'endpoint' | 'parameters'>, at: number, sender: Sender): void;
  strangersSpend(requests: number): void;
  /** Disables all faults from now on. */
  disableFaults(): void;
}

/** A connection pool of one process. When it is cut, pending requests end without a response. */
export interface Network {
  readonly dispatcher: Pick<Dispatcher, 'dispatch' | 'destroy'>;
  cut(): void;
}

export interface ServiceOptions {
  readonly truth: Truth;
  readonly traits: Traits;
  readonly quota: QuotaPlan;
  /** Faults by metered request. */
  readonly faults: ReadonlyMap<number, { readonly kind: FaultName; readonly pick: number }>;
  /** Forms of responses, from a request on. */
  readonly shapes: readonly ShapePlan[];
  readonly outages: readonly OutagePlan[];
  readonly refusals: readonly RefusalPlan[];
  readonly events: Events;
  readonly random: SeededRandom;
}

/** The ten endpoints over the ground truth, in process: real requests and responses without sockets. */
export function createService(options: ServiceOptions): Service {
  const { truth, traits, quota, events, random } = options;
  const log: Served[] = [];
  let polls = 0;
  const strangers: number[] = [];
  let areFaultsDisabled = false;
  const startedAt = events.now();
  let used: number[] = [];
  const cached = new Map<string, Presented & { madeAt: number }>();
  /** First pages of lists, by what was requested; each is sent once in place of the second. */
  const firstPages = new Map<string, Presented & { madeAt: number }>();
  /** Cursors that are replaced by numbers. */
  const replacedCursors: string[] = [];

  function numberOf(cursor: string): number {
    const known = replacedCursors.indexOf(cursor);
    return known >= 0 ? known : replacedCursors.push(cursor) - 1;
  }

  /** Replaces a number by its cursor. */
  function withServiceCursor(requested: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const { cursor } = requested;
    return cursor !== undefined && /^\d+$/.test(cursor)
      ? { ...requested, cursor: replacedCursors[Number(cursor)]! }
      : requested;
  }

  /** Applies the forms of this service to a valid response. */
  function applyShapes({ n, endpoint, parameters }: Served, answer: Answer): void {
    const sentCursor = parameters['cursor'];
    for (const { name, after, every, pick } of areFaultsDisabled ? [] : options.shapes) {
      if (n <= after || (n + pick) % every !== 0) continue;
      const shapeRandom = createSeededRandom(pick, `${name} ${n}`);
      SHAPES[name](endpoint, answer.body, { numberOf, answer, sentCursor, random: shapeRandom });
    }
  }

  const windowStart = (now: number): number =>
    quota.sliding ? now - quota.windowMs : now - ((now - startedAt) % quota.windowMs) - 1;
  function remainingQuota(now: number): number {
    used = used.filter((at) => at > windowStart(now));
    return quota.limit - used.length;
  }

  function tokenInfo(now: number): Answer {
    polls += 1;
    const remaining = Math.max(0, remainingQuota(now));
    const resetAt = quota.sliding ? (used[0] ?? now) + quota.windowMs : windowStart(now) + 1 + quota.windowMs;
    const isNumber = options.shapes.some(({ name }) => name === 'a number for the time of the reset');
    const number = polls % 2 === 0 ? resetAt : Math.floor(resetAt / 1000);
    const data = { app_limit: quota.limit, remaining, reset_at: isNumber ? number : new Date(resetAt).toISOString() };
    return { status: 200, headers: {}, body: { data }, delay: 0 };
  }

  /** Returns the cached response of `following`; faults change a copy. */
  function fromCache(
    { endpoint, parameters }: Served,
    now: number,
    create: () => Presented,
  ): Presented & { madeAt: number } {
    const { followingCache = 0 } = traits;
    const key = JSON.stringify(parameters);
    const cachedResponse = endpoint === 'following' ? cached.get(key) : undefined;
    if (cachedResponse && now - cachedResponse.madeAt < followingCache) return structuredClone(cachedResponse);
    const created = { ...create(), madeAt: now };
    if (endpoint === 'following' && created.status === 200) cached.set(key, structuredClone(created));
    return created;
  }

  /** Returns the first page of a list once in place of the second, if the service has this trait. */
  function withRepetition(entry: Served, response: Presented & { madeAt: number }): Presented & { madeAt: number } {
    const { endpoint, parameters } = entry;
    if (!traits.repeatsFirstPage || response.status !== 200) return response;
    const { cursor, ...subject } = withServiceCursor(parameters);
    const key = JSON.stringify([endpoint, subject]);
    if (cursor === undefined) firstPages.set(key, structuredClone(response));
    const first = firstPages.get(key);
    const facts = { endpoint, parameters: subject, status: 200, headers: {} };
    if (cursor === undefined || !first || parseAnswer(facts, { data: first.data })?.cursor !== cursor) return response;
    firstPages.delete(key);
    return first;
  }

  /** The response at the service. */
  function createResponse(entry: Served): Answer {
    const { endpoint, parameters } = entry;
    const now = events.now();
    const at = (requested: Readonly<Record<string, string>>) =>
      present(endpoint, withServiceCursor(requested), { truth, traits, now });
    const planned = areFaultsDisabled ? undefined : options.faults.get(entry.n);
    const kind = planned && FAULTS[planned.kind];
    const plain: Answer = { status: 200, headers: {}, body: undefined, delay: 0 };
    entry.outage = areFaultsDisabled ? undefined : options.outages.find((one) => isOut(one, endpoint, now - startedAt));
    if (entry.outage) {
      const { answer: none, sent } = outageAnswer(entry.outage);
      entry.counted = sent;
      if (sent) used.push(now);
      return none;
    }
    if (planned && kind && 'isUnsent' in kind) {
      // A failure before the service costs nothing.
      kind.apply(plain);
      entry.fault = planned.kind;
      return plain;
    }
    entry.counted = true;
    if (remainingQuota(now) <= 0) {
      entry.overdrawn = true;
      return { ...plain, status: 429, headers: { 'retry-after': '1' }, body: { title: 'Too Many Requests' } };
    }
    const isOfThis = (one: RefusalPlan): boolean => isRefused(one, entry, now - startedAt);
    entry.refusal = areFaultsDisabled ? undefined : options.refusals.find(isOfThis);
    if (entry.refusal) {
      used.push(now);
      const { status } = entry.refusal;
      return { ...plain, status, body: { title: `status ${status}` } };
    }
    const presented = fromCache(entry, now, () => at(parameters));
    // Cached responses cost no quota (spec, Endpoint rules 5).
    if (presented.madeAt === now) used.push(now);
    const { status, data, madeAt } = withRepetition(entry, presented);
    entry.madeAt = madeAt;
    const response: Answer = {
      ...plain,
      headers: {},
      status,
      body: status === 200 ? { data } : { title: `status ${status}` },
    };
    if (status === 200) applyShapes(entry, response);
    if (planned && kind && status === 200) {
      const firstPage = () => {
        const { cursor: _, ...first } = parameters;
        return { data: at(first).data };
      };
      const before = JSON.stringify(response);
      kind.apply(response, { endpoint, parameters, pick: planned.pick, firstPage });
      if (JSON.stringify(response) !== before) entry.fault = planned.kind;
    }
    return response;
  }

  /**
   * Adds the headers of every response, by which each can be told apart. Compresses every third page: other bodies would be
   * decoded in a thread, which no simulated clock waits for.
   */
  function encode(entry: Served, response: Answer, bytes: Buffer): readonly [response: Answer, bytes: Buffer] {
    const isGzip = entry.n % 3 === 0 && isSuccess(response.status);
    entry.headers = {
      'content-type': 'application/json',
      'x-request-id': String(entry.n),
      ...response.headers,
      ...(isGzip ? { 'content-encoding': 'gzip' } : {}),
    };
    return [{ ...response, headers: entry.headers }, isGzip ? gzipSync(bytes) : bytes];
  }

  /** Records the response and returns its bytes. */
  function finish(entry: Served, { status, headers, body, fails }: Answer): Buffer {
    entry.headers = headers;
    if (fails) return Buffer.alloc(0);
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    entry.status = status;
    entry.hash = createHash('sha256').update(bytes).digest('hex');
    if (isSuccess(status)) entry.parsed = parseServed(entry, bytes);
    return bytes;
  }

  function parseServed({ endpoint, parameters, status, headers }: Served, bytes: Buffer): ParsedAnswer | undefined {
    try {
      const parsed = parseAnswer({ endpoint, parameters, status, headers }, JSON.parse(bytes.toString()));
      // A response about another account does not count.
      return parsed?.owner === undefined || parsed.owner === (parameters['restId'] ?? parsed.owner)
        ? parsed
        : undefined;
    } catch {
      return undefined;
    }
  }

  return {
    log,
    get polls() {
      return polls;
    },
    strangers,
    strangersSpend(requests) {
      const spent = Math.min(requests, Math.max(0, remainingQuota(events.now())));
      const times = Array<number>(spent).fill(events.now());
      strangers.push(...times);
      used.push(...times);
    },
    disableFaults() {
      areFaultsDisabled = true;
    },
    recordShared({ endpoint, parameters }, at, sender) {
      const requested = JSON.stringify(parameters);
      const entry = log.findLast(
        (one) =>
          one.delivered &&
          one.sender.process === sender.process &&
          one.endpoint === endpoint &&
          one.at === at &&
          JSON.stringify(one.parameters) === requested,
      );
      if (!entry) throw new Error(`${endpoint} ${requested} has no response to share`);
      log.push({ ...entry, n: log.length + 1, sender: sender, counted: false, overdrawn: false });
    },
    connect(sender) {
      let isAlive = true;
      const open = new Set<Dispatcher.DispatchHandler>();
      const controllerOf = (handler: Dispatcher.DispatchHandler): Dispatcher.DispatchController => ({
        aborted: false,
        paused: false,
        reason: null,
        rawHeaders: null,
        rawTrailers: null,
        abort: () => void open.delete(handler),
        pause: () => undefined,
        resume: () => undefined,
      });
      function respond(
        handler: Dispatcher.DispatchHandler,
        { fails, status, headers }: Answer,
        bytes?: Buffer,
      ): boolean {
        if (!open.delete(handler)) return false;
        const controller = controllerOf(handler);
        if (fails) {
          handler.onResponseError!(controller, Object.assign(new Error(fails.code), { code: fails.code }));
          return false;
        }
        handler.onResponseStart!(controller, status, { 'content-type': 'application/json', ...headers });
        if (bytes && bytes.length > 0) handler.onResponseData!(controller, bytes);
        handler.onResponseEnd!(controller, {});
        return true;
      }
      return {
        cut() {
          isAlive = false;
          const closed = {
            status: 0,
            headers: {},
            body: '',
            delay: 0,
            fails: { code: 'UND_ERR_DESTROYED', sent: true },
          };
          for (const handler of Array.from(open)) respond(handler, closed);
        },
        dispatcher: {
          destroy: () => Promise.resolve(),
          dispatch({ path, body, method }, handler) {
            const url = new URL(path, 'http://service');
            const endpoint = Object.values(endpointTable).find((row) => row.path === url.pathname)!.name;
            const parameters: Record<string, string> =
              method === 'POST' ? JSON.parse(body as string) : Object.fromEntries(url.searchParams);
            open.add(handler);
            handler.onRequestStart!(controllerOf(handler), {});
            const latency = random.integerBetween(1, 40);
            if (endpoint === 'token-info') {
              events.after(latency, () => {
                const info = tokenInfo(events.now());
                events.after(random.integerBetween(1, 40), () =>
                  respond(handler, info, Buffer.from(JSON.stringify(info.body))),
                );
              });
              return true;
            }
            const from = sender();
            if (!from) throw new Error(`${endpoint} was requested outside of a slice`);
            const entry: Served = {
              n: log.length + 1,
              sender: from,
              endpoint,
              parameters,
              at: events.now(),
              counted: false,
              overdrawn: false,
              delivered: false,
            };
            log.push(entry);
            events.after(latency, () => {
              // A process that dies during a request may or may not have sent it.
              if (!isAlive && random.chance(0.5)) return;
              const response = createResponse(entry);
              const encoded = encode(entry, response, finish(entry, response));
              events.after(response.delay + random.integerBetween(1, 120), () => {
                entry.answeredAt = events.now();
                entry.delivered = respond(handler, ...encoded);
              });
            });
            return true;
          },
        },
      };
    },
  };
}
