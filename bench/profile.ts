import { Session, type Profiler } from 'node:inspector/promises';

/** Attributes the main thread's time by stack samples. */

/** The owner of a frame by its file; the first match counts. Other frames belong to their caller. */
const OWNERS: readonly (readonly [owner: string, file: RegExp])[] = [
  ['queue', /node_modules\/(bullmq|msgpackr|cron-parser|semver|uuid)\/|\/dist\/queue\//],
  [
    'redis',
    /node_modules\/(ioredis|redis-parser|redis-errors|denque|cluster-key-slot|standard-as-callback|@ioredis)\//,
  ],
  ['ledger', /\/dist\/quota\//],
  ['trawl', /\/dist\//],
  ['undici', /node_modules\/undici\//],
  ['bench', /\/bench\//],
];
const SAMPLE_US = 250;
const IDLE_FRAMES = new Set(['(idle)', '(program)', '(root)', 'dispatch']);

/** Starts sampling. `end` returns shares of the busy time. */
export async function startProfile(): Promise<{ end(): Promise<Record<string, number>> }> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US });
  await session.post('Profiler.start');
  return {
    async end() {
      const { profile } = await session.post('Profiler.stop');
      session.disconnect();
      return computeShares(profile);
    },
  };
}

function computeShares({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Record<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const time: Record<string, number> = {};
  let total = 0;
  for (const [i, id] of samples.entries()) {
    const node = byId.get(id)!;
    if (IDLE_FRAMES.has(node.callFrame.functionName)) continue;
    const us = timeDeltas[i] ?? 0;
    const owner = ownerOf(id);
    time[owner] = (time[owner] ?? 0) + us;
    total += us;
  }
  return Object.fromEntries(Object.entries(time).map(([owner, us]) => [`share:${owner}`, us / total]));

  /** Returns the owner of the innermost frame with one; for the Redis client, its caller if the stack has it. */
  function ownerOf(id: number): string {
    let found = 'other';
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const { url } = byId.get(at)!.callFrame;
      const owner = OWNERS.find(([, file]) => file.test(url))?.[0];
      if (owner === undefined) continue;
      if (found === 'other') found = owner;
      if (found !== 'redis') return found;
      if (owner === 'queue' || owner === 'ledger') return owner;
    }
    return found;
  }
}
