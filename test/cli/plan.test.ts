import { expect, test } from 'vitest';
import { newStore, openLeased, pageOf, rows, user } from '../store/support.ts';
import { runCli } from '../support/cli.ts';

const handlesOf = (n: number): string[] => Array.from({ length: n }, (_, i) => `unknown${i}`);

test.each([
  ['30 unknown accounts take a profile and a page each', handlesOf(30), 60],
  ['so do ids and handles together', ['id:12345', 'id:3456', 'leoPixel'], 6],
  ['so do unknown accounts among known ones, of which one list shows the page size', [...handlesOf(17), 'a', 'b'], 36],
  ['known accounts take what shows the page size', ['a', 'b', 'c'], 2],
])('the price of --probe is that of all probes: %s', async (_, targets, requests) => {
  const store = newStore();
  const { id, lease } = await openLeased(store, 1, { kind: 'profile', target: 'a' });
  const users = ['a', 'b', 'c'].map((handle, i) =>
    user(`${i + 1}`, { screenName: handle, detailLevel: 'profile', statusesCount: 500 }),
  );
  await store.write.commitPage(pageOf(id, lease, 2, { rows: rows({ users }) }));
  const options = { env: { TRAWL_DB: store.path } };
  const { stdout } = await runCli(['plan', 'timeline', ...targets, '--json'], options);
  expect(JSON.parse(stdout)).toMatchObject({ probeRequests: requests });
  const text = (await runCli(['plan', 'timeline', ...targets], options)).stdout;
  expect(text).toContain(`Unknown; \`--probe ${requests}\` costs at most ${requests} requests:`);
});
