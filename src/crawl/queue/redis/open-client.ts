import { Cluster, Redis, type RedisOptions, type ClusterNode, type ClusterOptions } from 'ioredis';
import { SECOND } from '#base/clock.ts';
import type { RedisClient } from '#base/redis-client.ts';
import type { RedisConnection, ServerConnection } from './redis-backend.ts';

/** After this time a Sentinel that does not reply counts as down, and the next one is asked. */
const SENTINEL_REPLY_MS = 3 * SECOND;
/** The delay between two attempts of a command while a node of a cluster fails over, in milliseconds. */
const CLUSTER_RETRY_MS = 200;

/** Opens a client that reconnects. Its commands wait until Redis is back, unless `isFailingFast` is set: then for a second. */
export function openClient(connection: RedisConnection, { isFailingFast = false } = {}): RedisClient {
  if (!('nodes' in connection)) {
    const limits = isFailingFast ? { maxRetriesPerRequest: 0, commandTimeout: SECOND } : {};
    return new Redis({ ...toWaitingOptions(connection), ...limits, ...(connection.sentinels && { reconnectOnError }) });
  }
  const { nodes, ...login } = connection;
  const cluster = openCluster(nodes, {
    // A failover takes longer than the 16 attempts that are the default.
    maxRedirections: isFailingFast ? 4 : Infinity,
    retryDelayOnFailover: CLUSTER_RETRY_MS,
    retryDelayOnClusterDown: CLUSTER_RETRY_MS,
    retryDelayOnTryAgain: CLUSTER_RETRY_MS,
    redisOptions: isFailingFast ? { ...login, commandTimeout: SECOND } : login,
  });
  // Before that, the first commands would fail.
  if (isFailingFast) cluster.once('ready', () => (cluster.options.enableOfflineQueue = false));
  return cluster;
}

/** Returns the options of a client whose commands wait until Redis is back. */
export const toWaitingOptions = (connection: ServerConnection) => ({
  ...connection,
  maxRetriesPerRequest: null,
  ...(connection.sentinels && { sentinelCommandTimeout: SENTINEL_REPLY_MS }),
});

/** After a failover the former primary refuses writes: the client asks the Sentinels again, and repeats the command. */
const reconnectOnError = ({ message }: Error): 2 | false => (message.startsWith('READONLY') ? 2 : false);

/** Resolves when a client has closed its connection and does not reconnect. */
export const waitForEnd = (client: RedisClient): Promise<void> =>
  new Promise((resolve) => {
    client.once('end', () => resolve());
  });

/**
 * Connects to a Redis without reconnecting, and passes the client to `use`, which keeps or disconnects it.
 * @throws the error of the connection if there is one: commands only report that it closed
 */
export async function connectOnce<T>(
  connection: RedisConnection,
  limits: RedisOptions,
  use: (redis: RedisClient) => Promise<T>,
): Promise<T> {
  const redis = openOnce(connection, limits);
  let reason: Error | undefined;
  let peerReason: Error | undefined;
  redis.on('error', (error: Error & { lastNodeError?: Error }) => (reason ??= error.lastNodeError ?? error));
  for (const event of PEER_ERRORS) redis.on(event, (error: Error) => (peerReason ??= error));
  try {
    // A cluster that is down ends its client, and leaves its promise open.
    const ended = waitForEnd(redis).then(() => Promise.reject(new Error('the connection was closed')));
    await Promise.race([redis.connect(), ended]);
    ended.catch(() => undefined);
    // Other Sentinels or nodes answered.
    for (const event of PEER_ERRORS) redis.removeAllListeners(event);
    peerReason = undefined;
    return await use(redis);
  } catch (error) {
    // After the end, `disconnect` would keep the process alive for two seconds.
    if (redis.status !== 'end') redis.disconnect();
    throw peerReason ?? reason ?? error;
  }
}

/** Errors of one Sentinel, and of one node of a cluster. */
const PEER_ERRORS = ['sentinelError', 'node error'] as const;

function openOnce(connection: RedisConnection, limits: RedisOptions): RedisClient {
  const never = () => null;
  if (!('nodes' in connection))
    return new Redis({
      lazyConnect: true,
      maxRetriesPerRequest: 0,
      retryStrategy: never,
      sentinelRetryStrategy: never,
      sentinelCommandTimeout: limits.commandTimeout,
      ...connection,
      ...limits,
    });
  const { nodes, ...login } = connection;
  const { connectTimeout, commandTimeout } = limits;
  return new Cluster([...nodes], {
    lazyConnect: true,
    clusterRetryStrategy: never,
    slotsRefreshTimeout: commandTimeout,
    maxRedirections: 4,
    redisOptions: {
      ...login,
      connectTimeout,
      commandTimeout,
    },
  });
}

/** Whether a connection failed because no server listens on a socket: it is missing, or a dead server left it. */
export const hasNoServer = (error: unknown): boolean =>
  ['ENOENT', 'ECONNREFUSED'].includes((error as NodeJS.ErrnoException).code ?? '');

/**
 * Opens a client of a cluster which can connect again at once after it was disconnected, as BullMQ does during a failover. ioredis
 * removes a node by its address when a connection to it ends: also the next connection, which then stays open until the
 * process exits, and keeps it from exiting. So `connect` waits until earlier connections have ended.
 */
const openCluster = (nodes: readonly ClusterNode[], options: ClusterOptions): Cluster =>
  waitBeforeConnecting(new Cluster([...nodes], options));

function waitBeforeConnecting(cluster: Cluster): Cluster {
  const ends = new Map<Redis, Promise<unknown>>();
  cluster.on('+node', (node: Redis) => {
    const ended = new Promise((resolve) => node.once('end', resolve));
    ends.set(node, ended);
    void ended.then(() => ends.delete(node));
  });
  const connect = cluster.connect.bind(cluster);
  cluster.connect = async () => {
    const current = cluster.nodes();
    const earlier = [...ends].filter(([node]) => !current.includes(node));
    await Promise.all(earlier.map(([, ended]) => ended));
    await connect();
  };
  const duplicate = cluster.duplicate.bind(cluster);
  cluster.duplicate = (...args) => waitBeforeConnecting(duplicate(...args));
  return cluster;
}
