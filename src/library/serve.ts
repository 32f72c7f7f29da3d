import { systemClock } from '#base/clock.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { startTwin } from '#twin/serve/http/start-twin.ts';
import { createKey } from '#twin/serve/quota/twin-keys.ts';
import { createSilentLog } from './create-config.ts';
import { getStoreHandle, withTypedErrors } from './store-handle.ts';
import type { ServeRequest, TwinServer } from './types.ts';

/**
 * Starts a twin: a server with the interface of the service over a store.
 *
 * @throws TrawlError if it cannot listen on the address.
 */
export function serve(request: ServeRequest): Promise<TwinServer> {
  return withTypedErrors(() => startServer(request));
}

async function startServer(request: ServeRequest): Promise<TwinServer> {
  const { store, host, port, pageSize, latencyMs } = request;
  const handle = getStoreHandle(store);
  const twin = await startTwin({
    file: store.path,
    host,
    port,
    addressOption: 'host or port',
    pageSize,
    latencyMs,
    log: createSilentLog(),
  });
  let forget: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    forget = resolve;
  });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= twin.close().finally(forget));
  handle.own({ close, ended });
  return {
    url: twin.url,
    createKey({ name, limit, windowMs }) {
      using db = openDatabase(store.path);
      return createKey(db, { name, limit, windowMs, now: systemClock.now() }).key;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
