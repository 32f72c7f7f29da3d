import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { serialize } from 'node:v8';
import { isSettledWithin, waitUnlessAborted } from '#base/abortable-wait.ts';
import { type Clock, SECOND, systemClock } from '#base/clock.ts';
import { describeError, StoreError, TrawlError, UsageError } from '#base/errors.ts';
import type { Log } from '#base/log.ts';
import { VERSION } from '#base/package-root.ts';
import type { RedisClient } from '#base/redis-client.ts';
import { formatDuration } from '#base/units.ts';
import type { GateHold } from '#crawl/gates/gates.ts';
import type { JoinedWorker } from '#crawl/queue/queue-snapshot.ts';
import { collectMessages, LOST_MS, receiveMessages, type SentCall } from './store-messages.ts';
import { readSession, REFRESH_MS, SHARED_STORES, sharedKeys, type StoreSession } from './store-session.ts';

export interface JoinStoreOptions {
  /** Opens a client that waits until Redis is back. */
  readonly connect: () => RedisClient;
  /** The start of the id of a store; by default the only one. */
  readonly store: string | undefined;
  readonly keyLabel: string;
  readonly serviceHost: string;
  /** Describes why this worker waits; undefined if it does not. */
  readonly describeHold: () => Promise<string | undefined>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** A connection to the store of another host, for one session. */
export interface JoinedStore extends AsyncDisposable {
  readonly storeId: string;
  /** Sends a call. @throws StoreError if the session ends: whether the store has run it is unknown, as after a kill */
  exchange(message: Buffer): Promise<Buffer>;
  /** The clock of the store. */
  readonly clock: Clock;
  /** Why crawls wait for the disk of the store. */
  readonly shortage: GateHold | undefined;
  /** Aborted when the session has ended: this process has to join again. */
  readonly lost: AbortSignal;
  /** Resolves when Redis takes writes. @throws the signal's reason */
  waitForRedis(signal: AbortSignal): Promise<void>;
}

const CLOSE_MS = SECOND;
/** A larger difference of the clocks is refused: the queue compares times of all hosts. */
const MAX_AHEAD_MS = 10 * SECOND;

/** Joins a store that another host shares. Waits until one does. @throws UsageError if there are several, the signal's reason */
export async function joinStore(options: JoinStoreOptions): Promise<JoinedStore> {
  const { connect, signal, log, store } = options;
  const redis = connect();
  let isTold = false;
  try {
    for (;;) {
      const sessions = await waitUnlessAborted(findSessions(redis), signal);
      const found = selectSession(sessions, options);
      if (found) return openSession(options, redis, found);
      const shared = sessions.map(({ session }) => session.storeId);
      if (!isTold) log.info({ store, shared }, 'waiting for a host that shares its database: `trawl work --share`');
      isTold = true;
      await systemClock.sleep(REFRESH_MS, signal);
    }
  } catch (error) {
    redis.disconnect();
    throw error;
  }
}

interface FoundSession {
  readonly prefix: string;
  readonly session: StoreSession;
  readonly offset: number;
}

async function findSessions(redis: RedisClient): Promise<FoundSession[]> {
  const found: FoundSession[] = [];
  for (const prefix of Object.values(await redis.hgetall(SHARED_STORES))) {
    const { session, offset } = await readSession(redis, sharedKeys(prefix).session);
    if (session) found.push({ prefix, session, offset });
  }
  return found;
}

/** @throws UsageError if there are several, TrawlError if this host cannot work for it */
function selectSession(
  sessions: readonly FoundSession[],
  { store = '', serviceHost }: Pick<JoinStoreOptions, 'store' | 'serviceHost'>,
): FoundSession | undefined {
  const found = sessions.filter(({ session }) => session.storeId.startsWith(store));
  if (found.length > 1)
    throw new UsageError('this Redis has several shared databases', {
      hint: `Name one of them: --join ${found.map(({ session }) => session.storeId).join(' or --join ')}.`,
    });
  const [only] = found;
  if (!only) return undefined;
  const { session, offset } = only;
  if (session.version !== VERSION)
    throw new TrawlError(`the shared database is of trawl ${session.version}, this is ${VERSION}`, {
      hint: 'Install the same version on all hosts.',
    });
  if (session.serviceHost !== serviceHost)
    throw new UsageError(`the shared database is of ${session.serviceHost}, and this host would crawl ${serviceHost}`, {
      hint: 'Set the same TRAWL_API_URL on all hosts.',
    });
  const aheadMs = offset - session.clockOffset;
  if (Math.abs(aheadMs) > MAX_AHEAD_MS)
    throw new TrawlError(
      `the clock of this host is ${formatDuration(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'} that of the host with the database`,
      { hint: 'Run NTP on all hosts.' },
    );
  return only;
}

interface Waiting {
  readonly resolve: (answer: Buffer) => void;
  readonly reject: (error: unknown) => void;
  readonly sentAt: number;
}

function openSession(
  options: JoinStoreOptions,
  redis: RedisClient,
  { prefix, session, offset }: FoundSession,
): JoinedStore {
  const { connect, keyLabel, describeHold, log } = options;
  const keys = sharedKeys(prefix);
  const client = randomUUID();
  const receiver = connect();
  const waiting = new Map<number, Waiting>();
  const lost = new AbortController();
  let last = 0;
  let isTold = false;
  let state = session;
  let ahead = offset - session.clockOffset;
  const now = (): number => Date.now() - ahead;

  function lose(reason: string): void {
    if (lost.signal.aborted) return;
    log.warn({ reason }, 'the connection to the shared database is lost');
    end();
  }

  function end(): void {
    lost.abort();
    // Workers notice first, and stop.
    setImmediate(() => {
      for (const { reject } of waiting.values()) reject(lostError());
      waiting.clear();
    });
  }

  async function appear(): Promise<void> {
    const worker: JoinedWorker = {
      host: hostname(),
      pid: process.pid,
      version: VERSION,
      keyLabel,
      hold: await describeHold(),
      seenAt: now(),
    };
    await redis.hset(keys.workers, client, JSON.stringify(worker));
  }

  async function watch(): Promise<void> {
    await appear();
    const read = await readSession(redis, keys.session);
    if (read.session === undefined) {
      if (!isTold) log.warn('the host with the database does not answer; waiting for it');
      isTold = true;
      return;
    }
    if (read.session.session !== session.session) return lose('its process was started again, or Redis has lost data');
    const { shortage } = read.session;
    if (shortage && !state.shortage)
      log.warn({ disk: shortage.error }, 'crawls wait for the disk of the host with the database');
    state = read.session;
    isTold = false;
    if (read.isExact) ahead = read.offset - state.clockOffset;
    const [oldest] = waiting.values();
    if (oldest && Date.now() - oldest.sentAt > LOST_MS) lose('it does not answer');
  }

  async function watchSession(): Promise<void> {
    while (!lost.signal.aborted) {
      await watch().catch(() => undefined);
      await systemClock.sleep(REFRESH_MS, lost.signal).catch(() => undefined);
    }
  }

  function onAnswer([call, answer]: readonly [number, Buffer]): void {
    waiting.get(call)?.resolve(answer);
    waiting.delete(call);
  }

  const send = collectMessages<SentCall>((calls) => {
    const key = keys.calls(session.session);
    const sent = redis.lpush(key, ...calls.map((call) => serialize(call)));
    sent.catch((error: unknown) => lose(`Redis refuses calls: ${describeError(error)}`));
    redis.pexpire(key, LOST_MS).catch(() => undefined);
  });

  void watchSession();
  void receiveMessages(receiver, () => keys.answers(client), {
    signal: lost.signal,
    onMessage: (message) => onAnswer(message as [number, Buffer]),
  });
  return {
    storeId: session.storeId,
    exchange: (message) =>
      new Promise((resolve, reject) => {
        if (lost.signal.aborted) throw lostError();
        const call = (last += 1);
        waiting.set(call, { resolve, reject, sentAt: Date.now() });
        send([client, call, message]);
      }),
    clock: { now, sleep: systemClock.sleep },
    get shortage() {
      return state.shortage;
    },
    lost: lost.signal,
    async waitForRedis(signal) {
      let works = false;
      while (!works) {
        await systemClock.sleep(REFRESH_MS, signal);
        const tried = appear().then(
          () => true,
          () => false,
        );
        works = await waitUnlessAborted(tried, signal);
      }
    },
    async [Symbol.asyncDispose]() {
      end();
      receiver.disconnect();
      await isSettledWithin(CLOSE_MS, redis.hdel(keys.workers, client));
      redis.disconnect();
    },
  };
}

const lostError = (): StoreError =>
  new StoreError('the connection to the shared database was lost', { failure: 'unavailable' });
