import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { StoreError, TrawlError } from '#base/errors.ts';
import { deserialiseError, type SerialisedError } from '#store/serialised-errors.ts';
import { toStoreError } from '#store/sqlite/database-errors.ts';
import type { OpenFiles } from '#store/sqlite/file-watch.ts';
import { startThread } from '#store/sqlite/start-thread.ts';
import { startWalCheckpoints } from '#store/sqlite/wal-checkpoints.ts';
import type { PageStaging, PageToStage, StageReply } from '#store/staging/staging-messages.ts';
import type { WriterReply, WriterRequest } from './group-commit.ts';
import { type Writer, createWriterProxy } from './writer.ts';

/** A writer in its own thread. Disposal waits for pending calls. */
export interface ThreadedWriter extends AsyncDisposable {
  readonly write: Writer;
  readonly staging: PageStaging;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Starts a thread that writes to a store, so that only this thread waits for the lock. If it dies, its pending calls fail,
 * and the next call starts another thread.
 */
export function startThreadedWriter(files: OpenFiles): ThreadedWriter {
  const { path } = files;
  const waiting = new Map<number, Waiting>();
  let serial = 0;
  let thread: Worker | undefined;
  let checkpoints: AsyncDisposable | undefined;
  let closed = false;

  function start(): Worker {
    const started = startThread('writer-thread', files, { maxYoungGenerationSizeMb: 16 });
    let cause: unknown;
    started.on('message', (message: WriterReply[] | SerialisedError) => {
      if (Array.isArray(message)) message.forEach(settle);
      else cause = deserialiseError(message);
    });
    started.on('error', (error) => (cause ??= error));
    started.on('exit', () => {
      thread = undefined;
      for (const { reject } of waiting.values())
        reject(new TrawlError(`the thread that writes to ${path} has ended`, { cause }));
      waiting.clear();
    });
    return started;
  }

  function settle(reply: WriterReply): void {
    const { resolve, reject } = waiting.get(reply.id)!;
    waiting.delete(reply.id);
    if ('failure' in reply) reject(deserialiseError(reply.failure));
    else resolve(reply.value);
  }

  const send = (call: Omit<WriterRequest, 'id'>, transfer?: readonly ArrayBuffer[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (closed) throw new TrawlError(`the store ${path} is closed`);
      const request: WriterRequest = { id: (serial += 1), ...call };
      checkpoints ??= startWalCheckpoints(files);
      (thread ??= start()).postMessage(request, transfer);
      waiting.set(request.id, { resolve, reject });
    });

  return {
    write: createWriterProxy(send),
    staging: {
      stagePage: async (page) =>
        (await send({ operation: 'stagePage', args: [page] }, buffersOf(page)).catch(throwStagingError)) as StageReply,
      discardPages(lease) {
        // A closed store has no staged pages.
        send({ operation: 'discardPages', args: [lease] }).catch(() => undefined);
      },
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      await checkpoints?.[Symbol.asyncDispose]();
      if (!thread) return;
      const exit = once(thread, 'exit');
      thread.postMessage('close');
      await exit;
    },
  };
}

/** @throws StoreError also where the thread has ended; other errors stay as they are */
function throwStagingError(error: unknown): never {
  const cause = toStoreError(error);
  const isThreadGone = cause instanceof TrawlError && !(cause instanceof StoreError);
  throw isThreadGone ? new StoreError(cause.message, { failure: 'unavailable', cause }) : cause;
}

/** The buffers of a page, which move with it to the other thread. */
export const buffersOf = ({ body, gzip }: Pick<PageToStage, 'body' | 'gzip'>): ArrayBuffer[] =>
  [body, ...(gzip ? [gzip] : [])].map(({ buffer }) => buffer as ArrayBuffer);
