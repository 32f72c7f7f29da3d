import { UsageError } from '#base/errors.ts';

/** A schema of a database. */
interface PostgresAddress {
  /** For messages and documents: without user and password. */
  readonly address: string;
  /** What clients take. It may have a password. */
  readonly connectionString: string;
  readonly schema: string;
}

const DEFAULT_SCHEMA = 'trawl';

/** Other schemas have this name with an ending, up to the 63 bytes of a name. */
const SCHEMA = /^[a-z_][a-z\d_]{0,49}$/;

/** Returns the parts of `postgres://host/database?schema=name`. @throws UsageError, which does not repeat what may be a password */
export function parsePostgresAddress(text: string): PostgresAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const schema = url?.searchParams.get('schema') ?? DEFAULT_SCHEMA;
  if (!url || !SCHEMA.test(schema)) {
    throw new UsageError('a PostgreSQL target must be an address such as postgres://user@host/database?schema=name', {
      hint: 'A schema has lower-case letters, digits and "_". The password may be in PGPASSWORD or ~/.pgpass.',
    });
  }
  url.searchParams.delete('schema');
  const address = `postgres://${url.host}${url.pathname}?schema=${schema}`;
  return { address, connectionString: url.href, schema };
}

/** Returns a word of a command line without the user and the password of an address of PostgreSQL. */
export const hidePassword = (word: string): string =>
  word.replace(/postgres(?:ql)?:\/\/.*/is, (url) =>
    url.replace(/\/\/.*@/s, '//').replaceAll(/([?&]password=)[^&]*/gi, '$1'),
  );
