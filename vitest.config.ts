import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SimulationsFirst } from './test/support/sequencer.ts';
import { tally } from './test/support/tally.ts';

/** Files of these folders, and files called *.slow.test.ts, are in the project `slow`; the rest of test/cli is in `cli`. */
const SLOW = ['test/{bench,e2e}/**/*.test.ts', 'test/**/*.slow.test.ts'];
const CLI = ['test/cli/**/*.test.ts'];

export default defineConfig({
  test: {
    globalSetup: ['test/support/build.ts', 'test/support/shared-folder.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    // Forks, not threads: tests start processes, send signals and load native code.
    pool: 'forks',
    experimental: { fsModuleCache: true },
    // Loading the modules anew for each file would take as long as the tests of most files.
    isolate: false,
    // The default leaves one core to the main process, which is idle once the tests run.
    maxWorkers: '100%',
    sequence: { sequencer: SimulationsFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Conditions are polled until they hold, however slow the machine is; the default gives up after a second.
    expect: { poll: { timeout: 45_000 } },
    reporters: ['default', tally()],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...SLOW, ...CLI],
        },
      },
      { extends: true, test: { name: 'cli', include: CLI, exclude: SLOW } },
      {
        extends: true,
        test: {
          name: 'slow',
          include: SLOW,
          testTimeout: 300_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 120_000 } },
          // These wait for windows, intervals and processes: two files per core overlap.
          maxWorkers: 2 * availableParallelism(),
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
