import type { OpenFiles } from './file-watch.ts';
import { startThread } from './start-thread.ts';

/**
 * Keeps the write-ahead log of a store short, in a thread of its own: a writer that does it itself keeps
 * every crawl waiting for the disk. Should the thread fail, the writers do it after all, at twice the length.
 */
export function startWalCheckpoints(files: OpenFiles): AsyncDisposable {
  const thread = startThread('sqlite/wal-checkpoint-thread', files, {
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
