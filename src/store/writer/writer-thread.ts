import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../sqlite/database.ts';
import { type OpenFiles, requireInPlace } from '../sqlite/file-watch.ts';
import { prepareGroupCommit } from './group-commit.ts';
import { serialiseError, toReply, type WriterRequest } from './writer-messages.ts';

/**
 * The thread that owns a store's write connection. What arrives while it writes is the next group: alone, a page waits
 * for nobody; in a crowd, many share a transaction.
 */

/** More would gain little, and make the first of them wait. */
const LARGEST_GROUP = 64;

const port = parentPort!;
// What ends the thread is reported in full first: Node would pass on less of it.
process.once('uncaughtException', (error) => {
  port.postMessage(serialiseError(error));
  throw error;
});
const files = workerData as OpenFiles;
// Opening would create a file that is missing.
requireInPlace(files);
const db = openDatabase(files.path);
const runGroup = prepareGroupCommit(db, { check: () => requireInPlace(files) });
const waiting: WriterRequest[] = [];
let due = false;
let closing = false;

function writeGroup(): void {
  const group = waiting.splice(0, LARGEST_GROUP);
  const outcomes = runGroup(group);
  port.postMessage(group.map(({ id }, i) => toReply(id, outcomes[i]!)));
  due = waiting.length > 0;
  // Not at once: what has arrived meanwhile is let in first.
  if (due) setImmediate(writeGroup);
  else if (closing) close();
}

function close(): void {
  db.$client.close();
  port.close();
}

port.on('message', (request: WriterRequest | 'close') => {
  if (request === 'close') {
    closing = true;
    if (!due) close();
    return;
  }
  waiting.push(request);
  if (!due) setImmediate(writeGroup);
  due = true;
});
