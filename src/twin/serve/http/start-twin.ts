import type { AddressInfo } from 'node:net';
import { SECOND } from '../../../base/clock.ts';
import { createListenError, formatBaseUrl } from '../../../base/listen.ts';
import { openDatabase, openReadOnly } from '../../../store/sqlite/database.ts';
import { identifyDatabase, type OpenFiles } from '../../../store/sqlite/file-watch.ts';
import { ensureCursorSecret } from '../cursor-secret.ts';
import { twinFileOf } from '../quota/twin-file.ts';
import { listActiveKeys } from '../quota/twin-keys.ts';
import { buildTwin, type TwinOptions } from './twin-app.ts';

export interface StartOptions extends Omit<TwinOptions, 'db'> {
  readonly file: string;
  /** 0 chooses a free port. */
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  /** What gives the address, for errors. */
  readonly addressOption?: string | undefined;
}

export interface RunningTwin extends AsyncDisposable {
  /** Its base URL, without a trailing slash. */
  readonly url: string;
  /** Number of active API keys at the start. */
  readonly activeKeys: number;
  /** Its open files: the store and the quota file. */
  readonly files: readonly OpenFiles[];
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const CLOSE_WITHIN_MS = 5 * SECOND;

/**
 * Serves a store through a read-only connection. The twin's own state is in a file beside it.
 * @throws TrawlError if the file cannot be opened or the address is not available
 */
export async function startTwin(options: StartOptions): Promise<RunningTwin> {
  const { file, port = 0, host = LOOPBACK, addressOption, ...rest } = options;
  prepareStore(file);
  const db = openReadOnly(file);
  const app = buildTwin({ ...rest, db });
  app.addHook('onClose', async () => void db.$client.close());
  const files = [
    identifyDatabase(file, 'Restart the twin on the file to serve.'),
    identifyDatabase(twinFileOf(file), 'Restart the twin: without that file, the quotas of its keys are reset.'),
  ];
  try {
    await app.listen({ port, host });
  } catch (error) {
    await app.close();
    throw createListenError(host, port, error, addressOption);
  }
  const close = async (): Promise<void> => {
    const timer = setTimeout(() => app.server.closeAllConnections(), CLOSE_WITHIN_MS);
    try {
      await app.close();
    } finally {
      clearTimeout(timer);
    }
  };
  const activeKeys = listActiveKeys(db).length;
  return {
    url: formatBaseUrl(app.server.address() as AddressInfo),
    activeKeys,
    files,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Migrates the store and creates the secret of its cursors, while it is writable. */
function prepareStore(file: string): void {
  const db = openDatabase(file);
  try {
    ensureCursorSecret(db);
  } finally {
    db.$client.close();
  }
}
