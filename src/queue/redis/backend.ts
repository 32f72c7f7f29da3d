import type { Redis } from 'ioredis';

/** How to reach a Redis, as ioredis and BullMQ both take it: a unix socket, or a host and a port. */
export interface RedisConnection {
  readonly path?: string;
  readonly host?: string;
  readonly port?: number;
  readonly username?: string;
  readonly password?: string;
  readonly db?: number;
  readonly tls?: Record<string, never>;
}

/** A Redis that is up: how to connect, what to call it, and how to end our part in it. */
export interface RedisBackend {
  readonly connection: RedisConnection;
  readonly description: string;
  stop(): Promise<void>;
}

/** Resolves when the client's connection is closed for good. Errors on the way there are of no interest. */
export const waitForEnd = (client: Redis): Promise<void> =>
  new Promise((resolve) => {
    client.once('end', () => resolve());
  });
