import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { SubmittedPage } from '#store/schema/commit-messages.ts';
import { serialiseError } from '#store/serialised-errors.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { type OpenFiles, requireInPlace } from '#store/sqlite/file-watch.ts';
import { prepareGroupCommit, toReply, type WriterCall, type WriterRequest } from './group-commit.ts';
import type { ResolvePage } from './page-commit.ts';

/** Larger groups gain little and delay their first call. */
const LARGEST_GROUP = 64;

/** A call that needs no transaction. */
export type DirectCall = (arg: never) => unknown;

export interface WriterThreadOptions {
  readonly resolvePage: ResolvePage;
  /** Called after the transaction of a page, stored or not. */
  readonly removePage: (page: SubmittedPage) => void;
  /** Calls that are answered at once, by name. */
  readonly directCalls: Readonly<Record<string, DirectCall>>;
}

/**
 * Runs this thread, which has the write connection of a store, until the store is closed. Calls that arrive during a
 * transaction form the next group; direct calls are answered before the next call of the group, since a crawl waits for
 * its staged page to send the next request.
 */
export function runWriterThread({ resolvePage, removePage, directCalls }: WriterThreadOptions): void {
  const port = parentPort!;
  // Report an uncaught error in full, since Node passes on only a part of it.
  process.once('uncaughtException', (error) => {
    port.postMessage(serialiseError(error));
    throw error;
  });
  const files = workerData as OpenFiles;
  // Opening would create a missing file.
  requireInPlace(files);
  const db = openDatabase(files.path);
  const runGroup = prepareGroupCommit(db, {
    resolvePage,
    betweenCalls: receivePending,
    check: () => requireInPlace(files),
  });
  const waiting: WriterRequest[] = [];
  let isScheduled = false;
  let isClosing = false;

  function writeGroup(): void {
    const group = waiting.splice(0, LARGEST_GROUP);
    const outcomes = runGroup(group as WriterCall[]);
    for (const { operation, args } of group) if (operation === 'commitPage') removePage(args[0] as SubmittedPage);
    port.postMessage(group.map(({ id }, i) => toReply(id, outcomes[i]!)));
    isScheduled = waiting.length > 0;
    // Not at once, so that calls that have arrived meanwhile join the group.
    if (isScheduled) setImmediate(writeGroup);
    else if (isClosing) close();
  }

  function answer(call: DirectCall, { id, args }: WriterRequest): void {
    try {
      port.postMessage([toReply(id, { value: call(args[0] as never) })]);
    } catch (error) {
      port.postMessage([toReply(id, { error })]);
    }
  }

  function close(): void {
    db.$client.close();
    port.close();
  }

  function receive(request: WriterRequest | 'close'): void {
    if (request === 'close') {
      isClosing = true;
      if (!isScheduled) close();
      return;
    }
    const direct = directCalls[request.operation];
    if (direct) return answer(direct, request);
    waiting.push(request);
    if (!isScheduled) setImmediate(writeGroup);
    isScheduled = true;
  }

  function receivePending(): void {
    for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port))
      receive(next.message as WriterRequest | 'close');
  }

  port.on('message', receive);
}
