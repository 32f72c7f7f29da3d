import type { RedisOptions } from 'ioredis';

/** How a client logs in, and its TLS. */
type Login = Pick<RedisOptions, 'username' | 'password' | 'tls'>;

/** A unix socket, a host and a port, or Sentinels and the name of a group: options of ioredis and BullMQ. */
export type ServerConnection = Readonly<
  Login &
    Pick<RedisOptions, 'path' | 'host' | 'port' | 'db'> &
    Pick<RedisOptions, 'sentinels' | 'name' | 'enableTLSForSentinelMode'> &
    Pick<RedisOptions, 'sentinelUsername' | 'sentinelPassword' | 'sentinelTLS'>
>;

export interface RedisHost {
  readonly host: string;
  readonly port: number;
}

/** Some nodes of a Redis Cluster, which name the others. */
export type ClusterConnection = Readonly<Login & { nodes: readonly RedisHost[] }>;

/** Where a Redis is, and how to log in. */
export type RedisConnection = ServerConnection | ClusterConnection;

/** A running Redis. `stop` ends its use by this process. */
export interface RedisBackend {
  readonly connection: RedisConnection;
  readonly description: string;
  stop(): Promise<void>;
}
