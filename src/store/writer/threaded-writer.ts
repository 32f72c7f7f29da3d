import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { TrawlError } from '../../base/errors.ts';
import { deserialiseError, type SerialisedError } from '../serialised-errors.ts';
import type { OpenFiles } from '../sqlite/file-watch.ts';
import { startThread } from '../sqlite/start-thread.ts';
import { startWalCheckpoints } from '../sqlite/wal-checkpoints.ts';
import type { WriterReply, WriterRequest } from './writer-messages.ts';
import { type Writer, createWriterProxy } from './writer.ts';

/** A writer in its own thread. Disposal waits for pending calls. */
export interface ThreadedWriter extends AsyncDisposable {
  readonly write: Writer;
  readonly callThread: CallThread;
}

/** Calls the writer thread without a transaction. @param transfer buffers of the argument that move to the thread */
export type CallThread = (operation: string, arg: unknown, transfer?: readonly ArrayBuffer[]) => Promise<unknown>;

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
    callThread: (operation, arg, transfer) => send({ operation, args: [arg] }, transfer),
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
