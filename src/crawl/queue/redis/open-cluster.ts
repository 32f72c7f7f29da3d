import { Cluster, type ClusterNode, type ClusterOptions, type Redis } from 'ioredis';

/**
 * Opens a client of a cluster which can connect again at once after it was disconnected, as BullMQ does during a failover. ioredis
 * removes a node by its address when a connection to it ends: also the next connection, which then stays open until the
 * process exits, and keeps it from exiting. So `connect` waits until earlier connections have ended.
 */
export const openCluster = (nodes: readonly ClusterNode[], options: ClusterOptions): Cluster =>
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
