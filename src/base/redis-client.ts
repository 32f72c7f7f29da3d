import type { Cluster, Redis } from 'ioredis';

/** A client of one Redis server, of the primary that Sentinels name, or of a cluster. Their commands are the same. */
export type RedisClient = Redis | Cluster;
