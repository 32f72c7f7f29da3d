import { join } from 'node:path';
import { expect, test } from 'vitest';
import { spendSharedKey } from '../support/shared-key.ts';
import { tempDir } from '../support/temp.ts';

test('workers in two processes and other clients share a key without a 429 and use all quota above the reserve (invariant 8)', async () => {
  const { ours, strangers, refused, spent, pauses } = await spendSharedKey({
    directory: tempDir(),
    bin: join(import.meta.dirname, '../../bin/trawl.js'),
    limit: 40,
    windowMs: 6e3,
    reserve: 4,
    processes: 2,
    slots: 8,
    windows: 2,
    strangersEveryMs: 500,
  });
  expect(refused).toBe(0);
  expect(ours).toBeGreaterThan(40);
  expect(strangers).toBeGreaterThan(4);
  // The full run is `npm run bench -- --only quota`. Here windows are short, and machines that run tests are busy.
  expect(spent).toBeGreaterThan(0.8);
  expect(pauses, 'logged pauses').toBeGreaterThan(0);
});
