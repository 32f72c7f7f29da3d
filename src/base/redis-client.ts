import type { Cluster, Redis } from 'ioredis';

/** A client of one Redis server, of the primary that Sentinels name, or of a cluster. Their commands are the same. */
export type RedisClient = Redis | Cluster;

const channelOf = (key: string): string => `${key}:events`;

/** Publishes an event on the channel of a key. Processes that miss it read the shared state. */
export function publishEvent(redis: RedisClient, key: string, event: object): void {
  redis.publish(channelOf(key), JSON.stringify(event)).catch(() => undefined);
}

/** Calls `onEvent` for each event of any process. The connection may have other subscriptions. */
export function subscribeToEvents<Event extends object>(
  connection: RedisClient,
  key: string,
  onEvent: (event: Event) => void,
): void {
  connection.on('message', (channel: string, message: string) => {
    if (channel !== channelOf(key)) return;
    const event = parseEvent<Event>(message);
    if (event) onEvent(event);
  });
  connection.subscribe(channelOf(key)).catch(() => undefined);
}

function parseEvent<Event>(message: string): Event | undefined {
  try {
    return JSON.parse(message) as Event;
  } catch {
    return undefined;
  }
}
