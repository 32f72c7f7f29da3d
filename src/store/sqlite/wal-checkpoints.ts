import type { OpenFiles } from './file-watch.ts';
import { startThread } from './start-thread.ts';

/**
 * Keeps the write-ahead log of a store short, in its own thread, so that crawls do not wait for the disk. If the thread
 * fails, writers make checkpoints at twice the length.
 */
export function startWalCheckpoints(files: OpenFiles): AsyncDisposable {
  const thread = startThread('wal-checkpoint-thread', files, {
    maxYoungGenerationSizeMb: 1,
    maxOldGenerationSizeMb: 16,
  });
  thread.on('error', () => undefined);
  const ended = new Promise((resolve) => thread.once('exit', resolve));
  return {
    async [Symbol.asyncDispose]() {
      thread.postMessage('close');
      await ended;
    },
  };
}
