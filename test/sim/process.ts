import type { Clock } from '#base/clock.ts';
import { createLog } from '#base/log.ts';
import { createSeededRandom, type SeededRandom } from '#base/seeded-random.ts';
import { createBudgetCounter } from '#crawl/gates/budget-counter.ts';
import { createDiskGuard } from '#crawl/gates/disk-guard.ts';
import { createBreaker } from '#crawl/gates/outage/breaker.ts';
import type { OutageEvent } from '#crawl/gates/outage/outage-events.ts';
import type { FetchedResponse } from '#crawl/page/page-record.ts';
import type { EngineDependencies } from '#crawl/slice/engine-dependencies.ts';
import type { SliceResult } from '#crawl/slice/slice-result.ts';
import { runSlice } from '#crawl/slice/slice.ts';
import { createClient } from '#service/client/client.ts';
import { createRequestCoalescer } from '#service/client/request-coalescing.ts';
import { createGovernor } from '#service/quota/governor.ts';
import type { Reserve } from '#service/quota/quota-policy.ts';
import { createRemoteStore, prepareAnswers } from '#store/remote/store-calls.ts';
import type { CrawlSource, SubmittedPage } from '#store/schema/commit-messages.ts';
import type { StoreQueries } from '#store/schema/query-results.ts';
import { deserialiseError } from '#store/serialised-errors.ts';
import type { PageStaging } from '#store/staging/staging-messages.ts';
import { toQueries } from '#store/store-reads.ts';
import { toReply, type WriterCall } from '#store/writer/group-commit.ts';
import { buffersOf } from '#store/writer/threaded-writer.ts';
import { createWriterProxy } from '#store/writer/writer.ts';
import type { Events } from './events.ts';
import type { SimRedis } from './redis.ts';
import type { Sender, Service } from './service.ts';
import type { Connections, Hook, StorePool } from './stores.ts';

/** One call of `runSlice` and its result. */
export interface Activation {
  readonly id: number;
  readonly crawlId: number;
  readonly process: number;
  /** Everything it did is stored or released. */
  isClean: boolean;
}

/** A worker process. It runs the real crawl code and can be killed between any two events. */
export interface Process {
  readonly number: number;
  readonly isAlive: boolean;
  /** It is stopping, or its key was refused: it takes no new crawls. */
  readonly isLeaving: boolean;
  readonly active: ReadonlyMap<number, Activation>;
  work(crawlId: number): void;
  /** SIGKILL. Returns its active crawls. */
  kill(): number[];
  /** Dies in a statement: the transaction is rolled back. */
  dieInStatement(): never;
  stop(): void;
}

export interface ProcessOptions {
  readonly number: number;
  /** It is on another host than the store. */
  readonly isJoined: boolean;
  readonly seed: number;
  readonly events: Events;
  readonly service: Service;
  readonly pool: StorePool;
  readonly redis: SimRedis;
  readonly reserve: Reserve;
  readonly random: SeededRandom;
  readonly newActivation: (crawlId: number, process: number) => Activation;
  readonly announce: (crawlIds: readonly number[]) => void;
  /** Called when a circuit closes: delayed crawls become due. */
  readonly wake: () => void;
  readonly outage: (event: OutageEvent) => void;
  /** The disk of the store: free bytes, and whether writes succeed. */
  readonly disk: { readonly free: () => number; readonly canWrite: () => boolean };
  readonly ended: (crawlId: number, slice: SliceResult, process: Process) => void;
  readonly left: (process: Process) => void;
  /** It died in a statement and has to be killed. */
  readonly onDeath: (process: Process) => void;
  /** An unexpected error of a slice. */
  readonly onUnexpectedError: (error: unknown) => void;
  readonly hook: (process: Process) => Hook;
}

/** Slices end within this time after SIGTERM. */
const GRACE_MS = 4000;
/** Delay of a crawl after an unexpected error. */
const ERROR_RETRY_MS = 10_000;

/** What a process crawls with: each has its own label. */
export const crawlSourceOf = (process: number): CrawlSource => ({
  trawlVersion: '1.0.0',
  serviceHost: 'service.example',
  keyLabel: `key of process ${process}`,
});

const log = createLog({ level: 'silent' });
const never = new Promise<never>(() => undefined);

export function startProcess(options: ProcessOptions): Process {
  const { number, events, service, pool, redis, random, isJoined } = options;
  const connections: Connections = pool.take();
  const active = new Map<number, Activation>();
  const [stop, abort] = [new AbortController(), new AbortController()];
  const signals = { stop: stop.signal, abort: abort.signal };
  let isAlive = true;
  let isDying = false;
  let sender: Sender | undefined;

  const network = service.connect(() => sender);
  const client = createClient({
    baseUrl: 'http://service.example',
    apiKey: 'key',
    dispatcher: network.dispatcher,
    clock: events,
    method: number % 2 === 0 ? 'GET' : 'POST',
  });
  const delay = (least: number, most: number): Promise<void> =>
    new Promise((resolve) => events.after(random.integerBetween(least, most), () => isAlive && resolve()));
  const clock: Clock = {
    now: events.now,
    sleep: (ms, signal) => (isAlive ? events.sleep(ms, signal).then(() => (isAlive ? undefined : never)) : never),
  };
  const governor = createGovernor({
    redis: redis.connect(() => delay(0, 2)),
    prefix: 'sim',
    keyId: 'key',
    reserve: options.reserve,
    clock,
    random: random.float,
    tokenInfo: (signal) => client.tokenInfo(signal),
    onSample: (sample) =>
      void send({
        operation: 'addQuotaSample',
        args: [
          {
            ...sample,
            keyHash: 'key',
          },
        ],
      }).catch(() => undefined),
  });

  const breakerRandom = createSeededRandom(options.seed, `breaker ${number}`);
  const breaker = createBreaker({
    redis: redis.connect(() => delay(0, 2)),
    prefix: 'sim',
    serviceId: 'service',
    clock,
    random: breakerRandom.float,
    onClosed: () => void (isAlive && options.wake()),
    onEvent: options.outage,
  });

  /** A process that has joined the store of another host has its connections there: they outlive it. */
  const isGone = (): boolean => !isAlive && (!isJoined || isDying);

  /** The writer thread: calls that are pending when it is free form one group. */
  type Waiting = {
    readonly call: WriterCall;
    readonly resolve: (value: unknown) => void;
    readonly reject: (e: unknown) => void;
  };
  const waiting: Waiting[] = [];
  let isDue = false;
  const send = (call: WriterCall): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (isGone()) return;
      waiting.push({ call: structuredClone(call), resolve, reject });
      // Sometimes another process holds the lock.
      if (!isDue)
        events.after(random.chance(0.1) ? random.integerBetween(50, 400) : random.integerBetween(0, 8), writeGroup);
      isDue = true;
    });
  function writeGroup(): void {
    if (isGone()) return;
    const group = waiting.splice(0, 64);
    const outcomes = connections.runGroup(group.map(({ call }) => call));
    if (isDying) return options.onDeath(self);
    for (const { call } of group)
      if (call.operation === 'commitPage') connections.staged.removePage(call.args[0] as SubmittedPage);
    isDue = waiting.length > 0;
    if (isDue) events.after(0, writeGroup);
    events.after(random.integerBetween(0, 4), () => {
      if (isGone()) return;
      for (const [i, { resolve, reject }] of group.entries()) {
        const reply = structuredClone(toReply(i, outcomes[i]!));
        if ('failure' in reply) reject(deserialiseError(reply.failure));
        else resolve(reply.value);
      }
    });
  }

  /** The same thread parses pages, between groups. A buffer that moved there is empty here. */
  const staging: PageStaging = {
    stagePage: (page) =>
      new Promise((resolve) => {
        const moved = structuredClone(page, { transfer: buffersOf(page) });
        events.after(random.integerBetween(0, 8), () => {
          if (isGone()) return;
          const reply = structuredClone(connections.staged.stagePage(moved));
          events.after(random.integerBetween(0, 4), () => void (isGone() || resolve(reply)));
        });
      }),
    discardPages: (lease) => connections.staged.discardPages(lease),
  };

  const disk = createDiskGuard({
    read: () => ({ free: options.disk.free(), minFree: 1e6 }),
    canWrite: options.disk.canWrite,
    clock,
  });
  const ownStore = {
    queries: toQueries<StoreQueries>(connections.read),
    write: createWriterProxy(send),
    staging,
  };
  let unanswered = 0;
  let arrival = 0;
  /** Calls run in order, also those of a process that has died meanwhile. */
  const exchange = (message: Buffer): Promise<Buffer> =>
    new Promise((resolve) => {
      if (!isAlive) return;
      unanswered += 1;
      arrival = Math.max(arrival, events.now() + random.integerBetween(0, 30));
      events.after(arrival - events.now(), () => {
        if (isGone()) return;
        void prepareAnswers(ownStore)(message).then((answer) => {
          unanswered -= 1;
          if (isGone()) return;
          if (!isAlive && unanswered === 0) pool.release(connections);
          events.after(random.integerBetween(0, 10), () => void (isAlive && resolve(answer)));
        });
      });
    });
  const store = isJoined ? createRemoteStore(exchange) : ownStore;
  const { queries } = store;
  const coalescer = createRequestCoalescer<FetchedResponse>(clock);
  const budgets = createBudgetCounter({ queries, clock });

  async function run(crawlId: number, activation: Activation): Promise<SliceResult> {
    const from: Sender = { process: number, activation: activation.id, crawlId };
    const write = createWriterProxy(({ operation, args }) =>
      (store.write[operation] as (...all: readonly unknown[]) => Promise<unknown>)(...args).catch((error: unknown) => {
        activation.isClean = false;
        throw error;
      }),
    );
    const dependencies: EngineDependencies = {
      clock,
      random: random.float,
      log,
      keepRaw: true,
      governor,
      breaker,
      disk,
      budgets,
      coalescer: {
        async coalesce(request, send) {
          let isOwn = false;
          const response = await coalescer.coalesce(request, () => {
            isOwn = true;
            return send();
          });
          if (!isOwn && isAlive) service.recordShared(request, response.at, from);
          return response;
        },
      },
      source: crawlSourceOf(number),
      store: {
        queries,
        write,
      },
      staging: store.staging,
      client: {
        ...client,
        fetch(...request) {
          if (!isAlive) return never;
          sender = from;
          try {
            return client.fetch(...request);
          } finally {
            sender = undefined;
          }
        },
      },
      announceCrawls: (ids) => void (isAlive && options.announce(ids)),
    };
    try {
      return await runSlice(crawlId, dependencies, signals);
    } catch (error) {
      activation.isClean = false;
      if (isAlive && !isWriteFailure(error)) options.onUnexpectedError(error);
      return { next: 'wait', until: events.now() + ERROR_RETRY_MS };
    }
  }

  async function shutDown(): Promise<void> {
    await governor[Symbol.asyncDispose]();
    if (isAlive) disconnect();
  }
  function disconnect(): void {
    isAlive = false;
    network.cut();
    if (isGone() || unanswered === 0) pool.release(connections);
    options.left(self);
  }

  const self: Process = {
    dieInStatement() {
      isDying = true;
      connections.hook = () => self.dieInStatement();
      throw new Error('killed');
    },
    number,
    active,
    get isAlive() {
      return isAlive;
    },
    get isLeaving() {
      return stop.signal.aborted;
    },
    work(crawlId) {
      const activation = options.newActivation(crawlId, number);
      active.set(crawlId, activation);
      void run(crawlId, activation).then((slice) => {
        if (!isAlive) return;
        active.delete(crawlId);
        if (slice.next === 'stop') self.stop();
        options.ended(crawlId, slice, self);
        if (self.isLeaving && active.size === 0) void shutDown();
      });
    },
    kill() {
      const crawlIds = [...active.keys()];
      for (const activation of active.values()) activation.isClean = false;
      disconnect();
      return crawlIds;
    },
    stop() {
      if (stop.signal.aborted) return;
      stop.abort();
      events.after(GRACE_MS, () => void (isAlive && abort.abort()));
      if (active.size === 0) void shutDown();
    },
  };
  connections.hook = options.hook(self);
  return self;
}

const isWriteFailure = (error: unknown): boolean => (error as { code?: string }).code === 'SQLITE_FULL';
