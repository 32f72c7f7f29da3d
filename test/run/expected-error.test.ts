import { expect, test } from 'vitest';
import { TrawlError, UsageError } from '#base/errors.ts';
import { toExpectedError } from '#library/run/expected-error.ts';

const failing = (error: Error) => ({ [Symbol.asyncDispose]: () => Promise.reject(error) });

test('the error of a run is reported, not those that follow while its resources are disposed of', async () => {
  async function run(): Promise<void> {
    await using _store = failing(new TrawlError('cannot close the store'));
    await using _queue = failing(new TypeError('cannot close the queue'));
    throw new UsageError('the database was deleted');
  }
  const thrown = await run().catch((error: unknown) => error);
  expect(thrown).not.toBeInstanceOf(TrawlError);
  expect(toExpectedError(thrown)).toMatchObject({ message: 'the database was deleted' });
  expect(toExpectedError(new TypeError('a bug'))).toBeUndefined();
});
