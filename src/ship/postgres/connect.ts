import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { Client, type ClientConfig } from 'pg';
import { SECOND } from '../../clock.ts';
import { describeError, UsageError } from '../../errors.ts';
import type { TargetAccess } from '../targets/fact-target.ts';
import { type PostgresAddress, parsePostgresAddress } from './postgres-address.ts';
import { describePostgresError } from './postgres-errors.ts';

const CONNECT_TIMEOUT_MS = 10 * SECOND;
/** After this silence, the system asks whether the server is still there. */
const KEEP_ALIVE_MS = 10 * SECOND;

/** A connection to PostgreSQL, whose errors are those of trawl. */
export interface PostgresConnection extends AsyncDisposable {
  readonly client: Client;
  /** The schema of the fact tables. */
  readonly schema: string;
  /** Runs something with the client. @throws TargetUnavailableError, TrawlError */
  attempt<T>(run: (client: Client) => Promise<T>): Promise<T>;
}

/** Connects to PostgreSQL. @throws TargetUnavailableError if it does not answer @throws TrawlError if it lets nobody in */
export async function connectToPostgres({ address, variables }: TargetAccess): Promise<PostgresConnection> {
  const place = parsePostgresAddress(address);
  const client = new Client(createConfig(place, variables));
  // A connection that is lost while nothing is asked: the next statement says so.
  client.on('error', () => undefined);

  async function attempt<T>(run: (open: Client) => Promise<T>): Promise<T> {
    try {
      return await run(client);
    } catch (error) {
      throw describePostgresError(error, address) ?? error;
    }
  }

  try {
    await attempt((open) => open.connect());
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  return {
    client,
    schema: place.schema,
    attempt,
    async [Symbol.asyncDispose]() {
      await client.end().catch(() => undefined);
    },
  };
}

/** Without PGPASSWORD, the client looks for a line of ~/.pgpass or PGPASSFILE. */
function createConfig(place: PostgresAddress, variables: TargetAccess['variables']): ClientConfig {
  const { host, port, user = userInfo().username, database } = place;
  const password = variables['PGPASSWORD'];
  return {
    host,
    port,
    user,
    database,
    ssl: createTlsOptions(place),
    ...(password ? { password } : {}),
    application_name: 'trawl',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  };
}

function createTlsOptions({ host, sslmode, sslrootcert }: PostgresAddress): ClientConfig['ssl'] {
  if (sslmode === 'disable') return false;
  // The client would check the certificate of a numeric address for another name.
  const options = { host, rejectUnauthorized: sslmode === 'verify-full' };
  if (sslrootcert === undefined) return options;
  try {
    return { ...options, ca: readFileSync(sslrootcert, 'utf8') };
  } catch (cause) {
    throw new UsageError(`cannot read sslrootcert ${sslrootcert}: ${describeError(cause)}`, { cause });
  }
}
