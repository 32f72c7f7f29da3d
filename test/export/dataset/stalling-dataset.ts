import { writeSync } from 'node:fs';
import { writeDataset } from '#files/export/dataset/dataset.ts';
import { openSnapshot } from '#files/export/snapshot.ts';

/** Writes a dataset of a store to a folder, prints a line when it begins the table of tweets, and then waits to be killed. */

const [, , store = '', path = ''] = process.argv;
using snapshot = openSnapshot(store);
await writeDataset({
  snapshot,
  path,
  format: 'csv',
  selection: {},
  command: '',
  metadata: {
    title: 'A test',
    authors: [],
    publisher: undefined,
    statements: {},
  },
  onProgress: ({ table }) => {
    if (table !== 'tweets') return;
    writeSync(1, 'half-way\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
});
