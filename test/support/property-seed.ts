import fc from 'fast-check';
import { vi } from 'vitest';

/** With PROPERTY_SEED, property tests try the same cases in each run. PROPERTY_RUNS sets the number of cases of each test. */
// oxlint-disable-next-line node/no-process-env -- .ci/run sets the seed
const { PROPERTY_SEED: seed, PROPERTY_RUNS: numRuns } = process.env;
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
if (numRuns !== undefined)
  vi.doMock('fast-check', () => {
    const assert: typeof fc.assert = (property, options) =>
      fc.assert(property, { ...options, numRuns: Number(numRuns) }) as never;
    return { default: { ...fc, assert } };
  });
