import { defineConfig } from 'vitest/config';
import { tally } from './test/support/tally.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    // Forks, not threads: tests start processes, send signals and load native code.
    pool: 'forks',
    // Many tests wait for processes and windows: two files at a time overlap, also on two cores.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ['default', tally()],
  },
});
