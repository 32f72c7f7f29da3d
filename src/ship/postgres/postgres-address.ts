import { UsageError } from '../../errors.ts';

/** An address of PostgreSQL: `postgres://user@host:port/database?schema=…&sslmode=…`, or a socket folder as encoded host. */
export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly database: string;
  /** The schema of the fact tables. */
  readonly schema: string;
  readonly sslmode: SslMode;
  /** A file with the certificates of the authorities to trust; undefined for those of Node. */
  readonly sslrootcert: string | undefined;
}

/** As in libpq: without TLS, encrypted, and encrypted with a checked certificate and name. */
const SSL_MODES = ['disable', 'require', 'verify-full'] as const;
type SslMode = (typeof SSL_MODES)[number];

const DEFAULT_SCHEMA = 'trawl';
const DEFAULT_PORT = 5432;
export const POSTGRES_EXAMPLE = 'postgres://user@host/database';
const PARAMETERS = ['schema', 'sslmode', 'sslrootcert'];

/** Networks that no other machine reads. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\]|\/.*)$/;

/**
 * Parses an address. Without `sslmode`, the certificate of another machine is checked, and this machine is trusted.
 * @throws UsageError without the text, which may have a password
 */
export function parsePostgresAddress(text: string): PostgresAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const database = decode(url?.pathname.slice(1));
  const host = decode(url?.hostname);
  if (!url || !database || !host || database.includes('/')) {
    throw new UsageError('this is not an address of PostgreSQL', {
      hint: `Addresses: ${POSTGRES_EXAMPLE}, and postgres://user@%2Frun%2Fpostgresql/database for a socket in a folder.`,
    });
  }
  if (url.password !== '') {
    throw new UsageError('the address has a password, which would be stored and shown', {
      hint: `Leave it out (${POSTGRES_EXAMPLE}), and set PGPASSWORD or add a line to ~/.pgpass.`,
    });
  }
  for (const name of url.searchParams.keys()) {
    if (PARAMETERS.includes(name)) continue;
    throw new UsageError(`an address of PostgreSQL has no parameter ${name}`, {
      hint: `Parameters: ${PARAMETERS.join(', ')}.`,
    });
  }
  const sslmode = url.searchParams.get('sslmode') ?? (LOOPBACK.test(host) ? 'disable' : 'verify-full');
  if (!isSslMode(sslmode))
    throw new UsageError(`sslmode is ${sslmode}`, { hint: `It may be ${SSL_MODES.join(', ')}.` });
  return {
    host,
    port: Number(url.port || DEFAULT_PORT),
    user: decode(url.username) || undefined,
    database,
    sslmode,
    schema: url.searchParams.get('schema') || DEFAULT_SCHEMA,
    sslrootcert: url.searchParams.get('sslrootcert') || undefined,
  };
}

const isSslMode = (text: string): text is SslMode => (SSL_MODES as readonly string[]).includes(text);

function decode(part: string | undefined): string | undefined {
  try {
    return part === undefined ? undefined : decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** Returns an address in the form in which it is stored: two spellings of one target are one target. @throws UsageError */
export function formatPostgresAddress(text: string): string {
  const { host, port, user, database, schema } = parsePostgresAddress(text);
  const given = new URL(text).searchParams;
  const parameters = new URLSearchParams();
  if (schema !== DEFAULT_SCHEMA) parameters.set('schema', schema);
  for (const name of ['sslmode', 'sslrootcert']) if (given.get(name)) parameters.set(name, given.get(name)!);
  const name = user === undefined ? '' : `${encodeURIComponent(user)}@`;
  const place = host.startsWith('/') ? encodeURIComponent(host) : host;
  const suffix = parameters.size > 0 ? `?${parameters.toString()}` : '';
  return `postgres://${name}${place}${port === DEFAULT_PORT ? '' : `:${port}`}/${encodeURIComponent(database)}${suffix}`;
}
