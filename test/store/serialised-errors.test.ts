import { describe, expect, it } from 'vitest';
import { ContractError, StaleLeaseError, StoreError, TransientError, TrawlError, UsageError } from '#base/errors.ts';
import { deserialiseError, serialiseError } from '#store/serialised-errors.ts';
import { toStoreError } from '#store/sqlite/database-errors.ts';
import { loadDriver } from '#store/sqlite/driver.ts';

const { SqliteError } = loadDriver();

/** An error after its transfer to another thread. */
const crossed = (error: unknown): Error => deserialiseError(structuredClone(serialiseError(error)));

class OwnError extends TypeError {
  override readonly name = 'OwnError';
  readonly list = [1];
}

describe('an error that crosses threads', () => {
  it.each([
    new Error('m'),
    new TypeError('m'),
    new RangeError('m'),
    new ReferenceError('m'),
    new SyntaxError('m'),
    new TrawlError('m', { hint: 'h' }),
    new UsageError('m', { hint: 'h' }),
    new TrawlError('m', { command: { name: 'doctor', args: '--db x', result: 'checks the database' } }),
    new StaleLeaseError('m', { hint: 'h' }),
    new TransientError('m', { status: 503, sent: false, body: 'b' }),
    new ContractError('m'),
    new StoreError('m', { failure: 'data', code: 'c' }),
    new StoreError('m', { failure: 'disk' }),
    new SqliteError('m', 'SQLITE_IOERR_WRITE'),
  ])('keeps its class, fields and stack: %s', (error) => {
    const again = crossed(error);
    expect(Object.getPrototypeOf(again)).toBe(Object.getPrototypeOf(error));
    expect(again.message).toBe(error.message);
    expect(Object.entries(again)).toEqual(Object.entries(error));
    expect(again.name).toBe(error.name);
    expect(again.stack).toBe(error.stack);
  });

  it('of a class that only one thread has becomes its nearest base class', () => {
    const again = crossed(new OwnError('m'));
    expect(again).toBeInstanceOf(TypeError);
    expect(again).toMatchObject({ name: 'OwnError', message: 'm' });
  });

  it('keeps its causes', () => {
    const full = new SqliteError('full', 'SQLITE_FULL');
    const again = crossed(new TrawlError('m', { cause: new TrawlError('inner', { cause: full }) }));
    expect((again.cause as Error).cause).toBeInstanceOf(SqliteError);
    expect(toStoreError(again)).toMatchObject({ failure: 'disk', isFatal: false });
  });

  it('that is no Error becomes one', () => {
    expect(crossed('words')).toMatchObject({ name: 'Error', message: 'words' });
    expect(crossed(undefined)).toMatchObject({ message: 'undefined' });
  });
});

it.each([
  ['SQLITE_FULL', 'disk'],
  ['SQLITE_IOERR_FSYNC', 'disk'],
  ['SQLITE_BUSY_SNAPSHOT', 'unavailable'],
  ['SQLITE_LOCKED', 'unavailable'],
  ['SQLITE_CANTOPEN', 'unavailable'],
  ['SQLITE_NOMEM', 'unavailable'],
  ['SQLITE_CONSTRAINT_NOTNULL', 'data'],
  ['SQLITE_ERROR', 'data'],
  ['SQLITE_TOOBIG', 'data'],
  ['SQLITE_MISMATCH', 'data'],
  ['SQLITE_CORRUPT_VTAB', 'file'],
  ['SQLITE_NOTADB', 'file'],
])('the store fails with %s: %s', (code, failure) => {
  const error = toStoreError(new SqliteError('m', code));
  expect(error).toMatchObject({ failure, code, message: 'm', isFatal: failure === 'file' });
});
