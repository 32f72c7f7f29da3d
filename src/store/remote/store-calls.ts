import { deserialize, serialize } from 'node:v8';
import { gunzipSync } from 'node:zlib';
import { InvariantError } from '#base/errors.ts';
import { deserialiseError, type SerialisedError, serialiseError } from '#store/serialised-errors.ts';
import { toStoreError } from '#store/sqlite/database-errors.ts';
import type { PageToStage, StageReply } from '#store/staging/staging-messages.ts';
import type { Store } from '#store/store.ts';
import { createWriterProxy } from '#store/writer/writer.ts';

/** The calls of a store by crawls in another process, as messages. */

/** A store as crawls use it. */
export type CrawlStore = Pick<Store, 'queries' | 'write' | 'staging'>;

/** Sends a message to the process that has the store, and returns its answer. */
export type Exchange = (message: Buffer) => Promise<Buffer>;

interface StoreCall {
  readonly part: keyof CrawlStore;
  readonly name: string;
  readonly args: readonly unknown[];
}

type Answer = { readonly value: unknown } | { readonly failure: SerialisedError };

/** A page without the bytes that its gzip has. */
type SentPage = Omit<PageToStage, 'body'> & { readonly body: Uint8Array | undefined };

/** Creates a store whose calls are answered by another process. Errors keep their class. */
export function createRemoteStore(exchange: Exchange): CrawlStore {
  async function call(part: StoreCall['part'], name: string, ...args: readonly unknown[]): Promise<unknown> {
    const answer = deserialize(await exchange(serialize({ part, name, args } satisfies StoreCall))) as Answer;
    if ('failure' in answer) throw deserialiseError(answer.failure);
    return answer.value;
  }
  return {
    queries: new Proxy({} as CrawlStore['queries'], {
      get:
        (_, name: string) =>
        (...args: unknown[]) =>
          call('queries', name, ...args),
    }),
    write: createWriterProxy(({ operation, args }) => call('write', operation, ...args)),
    staging: {
      async stagePage(page) {
        const sent: SentPage = { ...page, body: page.gzip ? undefined : page.body };
        const reply = (await call('staging', 'stagePage', sent)) as StageReply;
        return reply.is === 'staged' ? reply : { ...reply, body: page.body, gzip: page.gzip };
      },
      discardPages: (lease) => void call('staging', 'discardPages', lease).catch(() => undefined),
    },
  };
}

/** Prepares the answers to the calls of a remote store. */
export function prepareAnswers(store: CrawlStore): Exchange {
  const { queries, write } = store;
  const staging = {
    async stagePage(sent: SentPage) {
      const reply = await store.staging!.stagePage(toPage(sent));
      // Its body is where it came from.
      return reply.is === 'staged' ? reply : { is: reply.is };
    },
    discardPages: store.staging!.discardPages,
  };
  const parts: Record<StoreCall['part'], object> = { queries, write, staging };

  async function run(message: Buffer): Promise<unknown> {
    const { part, name, args } = deserialize(message) as StoreCall;
    if (!Object.hasOwn(parts[part], name)) throw new InvariantError(`a store has no ${part}.${name}`);
    const operation = (parts[part] as Record<string, (...args: readonly unknown[]) => unknown>)[name]!;
    return await operation(...args);
  }

  return async (message) => {
    const answer = await run(message).then(
      (value): Answer => ({ value }),
      (error: unknown): Answer => ({ failure: serialiseError(toStoreError(error)) }),
    );
    return serialize(answer);
  };
}

/** Returns a page with buffers of its own: they move to the writer thread. */
function toPage({ body, gzip, ...page }: SentPage): PageToStage {
  const bytes = body ?? gunzipSync(gzip!);
  return { ...page, body: new Uint8Array(bytes), gzip: gzip && new Uint8Array(gzip) };
}
