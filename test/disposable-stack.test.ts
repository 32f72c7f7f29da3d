import { expect, it } from 'vitest';
import { createResourceStack } from '../src/disposable-stack.ts';

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

it('an owner disposes of what it has, the last first', async () => {
  const { ended, of } = resources();
  const owner = createResourceStack();
  for (const name of ['store', 'queue', 'workers']) owner.use(of(name));
  await owner[Symbol.asyncDispose]();
  await owner[Symbol.asyncDispose]();
  expect(ended).toEqual(['workers', 'queue', 'store']);
});

it('an owner that handed over disposes of nothing, and the result of all', async () => {
  const { ended, of } = resources();
  const owner = createResourceStack();
  owner.use(of('store'));
  const owned = owner.move();
  await owner[Symbol.asyncDispose]();
  expect(ended).toEqual([]);
  await owned[Symbol.asyncDispose]();
  expect(ended).toEqual(['store']);
});

it('one resource that cannot be closed leaves no other open', async () => {
  const { ended, of } = resources();
  const owner = createResourceStack();
  for (const name of ['store', 'bad', 'workers']) owner.use(of(name));
  await expect(owner[Symbol.asyncDispose]()).rejects.toThrow('it is stuck');
  expect(ended).toEqual(['workers', 'bad', 'store']);
});
