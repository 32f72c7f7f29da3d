import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../sqlite/database.ts';
import { type OpenFiles, requireInPlace } from '../sqlite/file-watch.ts';
import { prepareGroupCommit } from './group-commit.ts';
import { serialiseError, toReply, type WriterRequest } from './writer-messages.ts';

/** The thread with the write connection of a store. Calls that arrive during a transaction form the next group. */

/** Larger groups gain little and delay their first call. */
const LARGEST_GROUP = 64;

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
const runGroup = prepareGroupCommit(db, { check: () => requireInPlace(files) });
const waiting: WriterRequest[] = [];
let isScheduled = false;
let isClosing = false;

function writeGroup(): void {
  const group = waiting.splice(0, LARGEST_GROUP);
  const outcomes = runGroup(group);
  port.postMessage(group.map(({ id }, i) => toReply(id, outcomes[i]!)));
  isScheduled = waiting.length > 0;
  // Not at once, so that calls that have arrived meanwhile join the group.
  if (isScheduled) setImmediate(writeGroup);
  else if (isClosing) close();
}

function close(): void {
  db.$client.close();
  port.close();
}

port.on('message', (request: WriterRequest | 'close') => {
  if (request === 'close') {
    isClosing = true;
    if (!isScheduled) close();
    return;
  }
  waiting.push(request);
  if (!isScheduled) setImmediate(writeGroup);
  isScheduled = true;
});
