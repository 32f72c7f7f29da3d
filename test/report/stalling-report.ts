import { writeSync } from 'node:fs';
import { writeHalfwayReport } from './halfway-report.ts';

/** Writes the report of a store to a file, prints a line half-way, and then waits to be killed. */

const [, , store = '', path = ''] = process.argv;
await writeHalfwayReport(store, path, {
  atHalf() {
    writeSync(1, 'half-way\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
});
