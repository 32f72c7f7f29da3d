import fc from 'fast-check';
import { expect, it } from 'vitest';
import { newStore, pageOf, spec } from './support.ts';

it('a snowball never has more accounts than it may, each with all of its kinds, whatever its pages show', async () => {
  const pages = fc.array(fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 6 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(pages, fc.integer({ min: 1, max: 8 }), async (shown, maxTargets) => {
      const store = newStore();
      const { id } = (await store.write.open([spec()], 1))[0]!;
      const { lease } = (await store.write.lease(id, 1))!;
      for (const [n, accounts] of shown.entries()) {
        const children = accounts.flatMap((account) =>
          ['profile', 'timeline'].map((kind) => spec({ kind, target: `id:${account}` })),
        );
        await store.write.commit(pageOf(id, lease, n + 2, { children, maxTargets }));
      }
      const wanted = [...new Set(shown.flat())]
        .slice(0, maxTargets)
        .flatMap((account) => [`profile id:${account}`, `timeline id:${account}`]);
      const family = store.read.family([id]).filter((crawl) => crawl.id !== id);
      expect(family.map(({ kind, target }) => `${kind} ${target}`)).toEqual(wanted);
    }),
    { numRuns: 60 },
  );
});
