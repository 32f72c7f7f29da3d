import { finished } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { SECOND } from '#base/clock.ts';
import { describeError, TrawlError } from '#base/errors.ts';
import { FORMATS } from '#files/export/formats/formats.ts';
import type { FormatOptions } from '#files/export/formats/output-format.ts';
import type { ResultSet } from '#files/export/result-set.ts';

const CONNECT_MS = 30 * SECOND;
const LOCK_MS = 30 * SECOND;

export type PostgresConnection = Awaited<ReturnType<typeof connectToPostgres>>;

/** Connects to a server. Its functions throw TrawlError. @param address for messages */
export async function connectToPostgres(connectionString: string, address: string) {
  async function explain<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      // Neither the cause nor its details: they may have values of rows.
      throw new TrawlError(`cannot write ${address}: ${describeError(error)}`);
    }
  }

  const client = new Client({
    connectionString,
    application_name: 'trawl',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
  });
  // The next statement reports a lost connection.
  client.on('error', () => undefined);
  await explain(client.connect());
  // Another export, or a reader of an earlier dataset, may hold a lock for hours.
  await explain(client.query(`set lock_timeout = ${LOCK_MS}`));
  return {
    /** Runs statements, and returns the rows of a single one. */
    run: async (...statements: readonly string[]): Promise<Readonly<Record<string, unknown>>[]> =>
      (await explain(client.query(statements.join(';')))).rows,
    /** Writes rows to a table, and returns their number. */
    async copy(table: string, result: ResultSet, options: FormatOptions): Promise<number> {
      const stream = client.query(copyFrom(`copy ${table} from stdin with (format csv, header)`));
      const end = explain(finished(stream));
      end.catch(() => undefined);
      const write = (chunk: string | Uint8Array): Promise<void> =>
        Promise.race([end, new Promise<void>((resolve) => void stream.write(chunk, () => resolve()))]);
      const rows = await FORMATS.csv.write(result, { write }, options);
      stream.end();
      await end;
      return rows;
    },
    /** Closes the connection; the server rolls an open transaction back. */
    [Symbol.asyncDispose]: (): Promise<void> => client.end(),
  };
}
