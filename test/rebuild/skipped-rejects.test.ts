import { copyFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rebuild } from '#store/rebuild/rebuild.ts';
import { days, livingList } from '../engine/living-list.ts';
import { crawlAgainst } from '../engine/support.ts';
import { runCli } from '../support/cli.ts';
import { contentsOf } from './digest.ts';
import { repairBodies } from './repair-bodies.ts';

/** A first crawl rejects tweet 33 of 40 and stops; each later one follows seven more tweets, and rejects the given ones. */
async function after(...later: readonly (readonly number[])[]) {
  const list = livingList({ pageSize: 5, items: days(40) });
  const { run, store } = await crawlAgainst({ 'user-tweets': (parameters) => list.answer(parameters) });
  list.broken.add(33);
  let { crawl } = await run('timeline', 'id:1', { maxPages: 3 });
  for (const broken of later) {
    list.add(7);
    for (const id of broken) list.broken.add(id);
    ({ crawl } = await run('timeline', 'id:1'));
    expect(crawl).toMatchObject({ state: 'partial', reason: 'rejected_items', rejectedItems: broken.length });
  }
  await store[Symbol.asyncDispose]();
  return { path: store.path, crawl };
}

const again = (path: string) => rebuild({ path, signal: new AbortController().signal, onProgress: () => undefined });

describe('a crawl that skipped or reached rejected items of another one', () => {
  it('is the same after a rebuild (invariants 5 and 10)', async () => {
    const { path } = await after([], []);
    const before = contentsOf(path);
    await again(path);
    expect(contentsOf(path)).toEqual(before);
  });

  it.each([
    ['served', [[45]]],
    ['joined', [[], [52]]],
  ] as const)('that ended %s is not complete once its own items can be read (invariant 5)', async (ending, later) => {
    const { path, crawl } = await after(...later);
    expect(crawl.ending).toBe(ending);
    repairBodies(path, crawl.id);
    const copy = `${path}.copy`;
    copyFileSync(path, copy);
    const retried = await runCli(['rebuild', '--rejects', '--db', path, '--json']);
    expect(JSON.parse(retried.stdout)).toMatchObject({ resolved: 1 });
    await again(copy);
    for (const file of [path, copy])
      expect(contentsOf(file)['crawls']).toContainEqual(
        expect.objectContaining({ id: crawl.id, state: 'partial', reason: 'rejected_items', rejected_items: 0 }),
      );
  });
});
