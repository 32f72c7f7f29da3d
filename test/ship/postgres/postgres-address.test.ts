import { expect, test } from 'vitest';
import { formatPostgresAddress, parsePostgresAddress } from '../../../src/ship/postgres/postgres-address.ts';

test.each([
  ['postgres://ann@db.example.org/facts', { host: 'db.example.org', port: 5432, user: 'ann', database: 'facts' }],
  ['postgresql://db:5433/my%20facts', { host: 'db', port: 5433, user: undefined, database: 'my facts' }],
  ['postgres://ann@%2Frun%2Fpostgresql/facts', { host: '/run/postgresql', user: 'ann', sslmode: 'disable' }],
  ['postgres://db/facts?schema=mine', { schema: 'mine' }],
  ['postgres://db/facts', { schema: 'trawl', sslmode: 'verify-full', sslrootcert: undefined }],
  ['postgres://127.0.0.1/facts', { sslmode: 'disable' }],
  ['postgres://[::1]/facts', { sslmode: 'disable' }],
  ['postgres://localhost.example.org/facts', { sslmode: 'verify-full' }],
  ['postgres://localhost/facts?sslmode=require', { sslmode: 'require' }],
])('%s is parsed', (text, expected) => {
  expect(parsePostgresAddress(text)).toMatchObject(expected);
});

test.each([
  ['postgresql://ann@db:5432/facts', 'postgres://ann@db/facts'],
  ['postgres://db:5433/facts?schema=trawl', 'postgres://db:5433/facts'],
  ['postgres://db/facts?sslmode=require&schema=mine', 'postgres://db/facts?schema=mine&sslmode=require'],
  ['postgres://ann@%2Frun%2Fpostgresql/facts', 'postgres://ann@%2Frun%2Fpostgresql/facts'],
])('%s is stored as %s', (text, stored) => {
  expect(formatPostgresAddress(text)).toBe(stored);
  expect(formatPostgresAddress(stored)).toBe(stored);
});

test.each([
  ['postgres://ann:s3cret@db/facts', 'has a password'],
  ['postgres://ann:s3cret@db/', 'not an address'],
  ['postgres://ann:s3cret@db:port/facts', 'not an address'],
  ['postgres://db/facts?password=s3cret', 'no parameter password'],
  ['postgres://db/facts?sslmode=maybe', 'sslmode is maybe'],
])('%s is refused without its password', (text, message) => {
  const parse = (): string => formatPostgresAddress(text);
  expect(parse).toThrow(message);
  expect(parse).not.toThrow('s3cret');
});
