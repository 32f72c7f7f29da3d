import type { AddressInfo } from 'node:net';
import { SECOND } from '../clock.ts';
import { TrawlError } from '../errors.ts';
import { openDatabase, openReadOnly } from '../store/database.ts';
import { buildTwin, type TwinOptions } from './app.ts';
import { listKeys } from './keys.ts';

export interface StartOptions extends Omit<TwinOptions, 'db' | 'keys'> {
  /** The store's file. */
  readonly file: string;
  /** 0 takes any free port. */
  readonly port?: number | undefined;
  readonly host?: string | undefined;
}

/** A twin that listens. Whoever started it closes it. */
export interface RunningTwin extends AsyncDisposable {
  /** Its base address, without a trailing slash. */
  readonly url: string;
  /** How many keys it would have accepted when it started. */
  readonly activeKeys: number;
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const CLOSE_WITHIN_MS = 5 * SECOND;

/**
 * Serves a store's file: its content through a connection that cannot write, its keys through another that can.
 * @throws TrawlError when the file cannot be opened or the address cannot be had.
 */
export async function startTwin(options: StartOptions): Promise<RunningTwin> {
  const { file, port = 0, host = LOOPBACK, ...rest } = options;
  const keys = openDatabase(file);
  const db = openReadOnly(file);
  const app = buildTwin({ ...rest, db, keys });
  app.addHook('onClose', async () => {
    db.$client.close();
    keys.$client.close();
  });
  try {
    await app.listen({ port, host });
  } catch (error) {
    await app.close();
    throw cannotListen(host, port, error);
  }
  const close = async (): Promise<void> => {
    const timer = setTimeout(() => app.server.closeAllConnections(), CLOSE_WITHIN_MS);
    try {
      await app.close();
    } finally {
      clearTimeout(timer);
    }
  };
  const activeKeys = listKeys(keys).filter(({ revokedAt }) => revokedAt === null).length;
  return { url: urlOf(app.server.address() as AddressInfo), activeKeys, close, [Symbol.asyncDispose]: close };
}

const urlOf = ({ address, family, port }: AddressInfo): string =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;

function cannotListen(host: string, port: number, cause: unknown): TrawlError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const why = code === 'EADDRINUSE' ? 'the port is taken' : cause instanceof Error ? cause.message : String(cause);
  return new TrawlError(`cannot listen on ${host}:${port}: ${why}`, {
    hint: 'Choose another with --port or --host.',
    cause,
  });
}
