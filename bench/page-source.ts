import { createInterface } from 'node:readline';
import { readArguments, report } from './child.ts';
import { generatePages } from './workload.ts';

/** Generates pages in a process of its own, so that their memory is not measured. Each line on stdin requests a group. */

const pageGroups = generatePages(readArguments());
createInterface({ input: process.stdin })
  .on('line', () => report(pageGroups.next().value))
  .once('close', () => process.exit());
