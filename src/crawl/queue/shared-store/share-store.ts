import { randomUUID } from 'node:crypto';
import { serialize } from 'node:v8';
import { isSettledWithin } from '#base/abortable-wait.ts';
import { SECOND, systemClock } from '#base/clock.ts';
import { describeError, TrawlError } from '#base/errors.ts';
import type { Log } from '#base/log.ts';
import { VERSION } from '#base/package-root.ts';
import type { RedisClient } from '#base/redis-client.ts';
import type { GateHold } from '#crawl/gates/gates.ts';
import { collectMessages, LOST_MS, receiveMessages, type SentCall } from './store-messages.ts';
import { readSession, REFRESH_MS, SHARED_STORES, sharedKeys, SILENT_MS, type StoreSession } from './store-session.ts';

export interface ShareStoreOptions {
  /** Opens a client that waits until Redis is back. */
  readonly connect: () => RedisClient;
  readonly prefix: string;
  readonly storeId: string;
  readonly serviceHost: string;
  readonly answer: (message: Buffer) => Promise<Buffer>;
  readonly readShortage: () => GateHold | undefined;
  readonly log: Log;
}

/** The maximum time for the end of a session. */
const CLOSE_MS = SECOND;
/** Writes a session unless another process has one. */
const KEEP = `local found = redis.call('get', KEYS[1])
if not found then return 'missing' end
if cjson.decode(found).session ~= ARGV[1] then return 'other' end
redis.call('set', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 'kept'`;

/**
 * Lets workers on other hosts call the store of this process. Calls are answered at most once: those of an earlier session are
 * dropped. Disposal ends the session.
 * @throws TrawlError if another process shares the store
 */
export async function shareStore(options: ShareStoreOptions): Promise<AsyncDisposable> {
  const { connect, prefix, storeId, serviceHost, answer, readShortage, log } = options;
  const keys = sharedKeys(prefix);
  const stopped = new AbortController();
  const [redis, receiver] = [connect(), connect()];
  const answering = new Set<Promise<void>>();
  let session = '';
  let clockOffset: number | undefined;
  let isHeld = false;
  let isTold = false;

  /** Begins a session: nobody takes the calls of an earlier one, whose clients notice by its id. */
  async function begin(): Promise<void> {
    session = randomUUID();
    isHeld = (await redis.set(keys.session, await describe(), 'PX', SILENT_MS, 'NX')) !== null;
    if (!isHeld) return;
    await redis.hset(SHARED_STORES, storeId, prefix);
    // Those that are alive appear again.
    await redis.del(keys.workers);
  }

  async function describe(): Promise<string> {
    const { offset, isExact } = await readSession(redis, keys.session);
    if (isExact || clockOffset === undefined) clockOffset = offset;
    const state: StoreSession = {
      session,
      storeId,
      version: VERSION,
      serviceHost,
      clockOffset,
      shortage: readShortage(),
    };
    return JSON.stringify(state);
  }

  /** Keeps the session. After a loss of data another one begins; a process that was stopped for long may find that of another one. */
  async function keep(): Promise<void> {
    const kept = await redis.eval(KEEP, 1, keys.session, session, await describe(), SILENT_MS);
    if (kept === 'missing') await begin();
    else isHeld = kept === 'kept';
    if (!isHeld) throw new TrawlError('another process shares this database');
  }

  async function refresh(): Promise<void> {
    while (!stopped.signal.aborted) {
      await rest();
      if (stopped.signal.aborted) return;
      await keep().then(
        () => (isTold = false),
        (error: unknown) => {
          if (!isTold && !stopped.signal.aborted)
            log.warn({ error: describeError(error) }, 'the database is not shared now');
          isTold = true;
        },
      );
    }
  }

  /** Answers of one turn of the event loop leave in one write. */
  const send = collectMessages<{ readonly key: string; readonly answer: Buffer }>((answers) => {
    const pipeline = redis.pipeline();
    for (const { key, answer: message } of answers) pipeline.lpush(key, message).pexpire(key, LOST_MS);
    // A call without an answer counts as lost.
    pipeline.exec().catch(() => undefined);
  });

  function onCall([client, call, message]: SentCall): void {
    const answered = answer(message)
      .then((found) => send({ key: keys.answers(client), answer: serialize([call, found]) }))
      .finally(() => answering.delete(answered));
    answering.add(answered);
  }

  async function endSession(): Promise<void> {
    await Promise.all(answering);
    await redis.hdel(SHARED_STORES, storeId);
    await redis.del(keys.session);
  }

  const rest = (): Promise<void> => systemClock.sleep(REFRESH_MS, stopped.signal).catch(() => undefined);
  // The session of a killed process expires.
  for (let waited = 0; !isHeld; waited += REFRESH_MS) {
    if (waited > SILENT_MS) {
      for (const each of [redis, receiver]) each.disconnect();
      throw new TrawlError('another process shares this database', { hint: 'One `trawl work --share` is enough.' });
    }
    if (waited > 0) await rest();
    await begin();
  }
  void refresh();
  void receiveMessages(receiver, () => keys.calls(session), {
    signal: stopped.signal,
    onMessage: (message) => onCall(message as SentCall),
  });
  return {
    async [Symbol.asyncDispose]() {
      stopped.abort();
      receiver.disconnect();
      // Without Redis, it expires.
      await isSettledWithin(CLOSE_MS, endSession());
      redis.disconnect();
    },
  };
}
