import type { Worker } from 'node:worker_threads';
import { SECOND } from '#base/clock.ts';
import type { OpenFiles } from './file-watch.ts';
import { startThread } from './start-thread.ts';

/** A command of a few pages ends before, without the CPU of a thread; its last connection makes the checkpoint. */
const START_AFTER_MS = 2 * SECOND;

/**
 * Keeps the write-ahead log of a store short, in its own thread, so that crawls do not wait for the disk. If the thread
 * fails, writers make checkpoints at twice the length.
 */
export function startWalCheckpoints(files: OpenFiles): AsyncDisposable {
  let thread: Worker | undefined;
  let ended: Promise<unknown> | undefined;
  const timer = setTimeout(() => {
    const started = startThread('wal-checkpoint-thread', files, {
      maxYoungGenerationSizeMb: 1,
      maxOldGenerationSizeMb: 16,
    });
    started.on('error', () => undefined);
    ended = new Promise((resolve) => started.once('exit', resolve));
    thread = started;
  }, START_AFTER_MS);
  timer.unref();
  return {
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      thread?.postMessage('close');
      await ended;
    },
  };
}
