import { expect, it } from 'vitest';
import { createResourceStack } from '#base/disposable-stack.ts';

/** Resources that note when they are disposed of; the one named `bad` fails. */
function resources() {
  const ended: string[] = [];
  const of = (name: string): AsyncDisposable => ({
    async [Symbol.asyncDispose]() {
      ended.push(name);
      if (name === 'bad') throw new Error('it is stuck');
    },
  });
  return { ended, of };
}

it('a stack disposes of its resources in reverse order', async () => {
  const { ended, of } = resources();
  const owner = createResourceStack();
  for (const name of ['store', 'queue', 'workers']) owner.use(of(name));
  await owner[Symbol.asyncDispose]();
  await owner[Symbol.asyncDispose]();
  expect(ended).toEqual(['workers', 'queue', 'store']);
});

it('a moved stack disposes of nothing, and its result of everything', async () => {
  const { ended, of } = resources();
  const owner = createResourceStack();
  owner.use(of('store'));
  const owned = owner.move();
  await owner[Symbol.asyncDispose]();
  expect(ended).toEqual([]);
  await owned[Symbol.asyncDispose]();
  expect(ended).toEqual(['store']);
});

it('a resource that cannot be closed does not keep others open', async () => {
  const { ended, of } = resources();
  const owner = createResourceStack();
  for (const name of ['store', 'bad', 'workers']) owner.use(of(name));
  await expect(owner[Symbol.asyncDispose]()).rejects.toThrow('it is stuck');
  expect(ended).toEqual(['workers', 'bad', 'store']);
});
