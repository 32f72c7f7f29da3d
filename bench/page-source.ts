import { createInterface } from 'node:readline';
import { readArguments, report } from './child.ts';
import { walkedPages } from './workload.ts';

/** Makes pages up in a process of its own, so that no memory of theirs is counted: a line on stdin asks for a turn. */

const turns = walkedPages(readArguments());
createInterface({ input: process.stdin })
  .on('line', () => report(turns.next().value))
  .once('close', () => process.exit());
