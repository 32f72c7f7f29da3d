import type { WorkContext } from '#composition.ts';
import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';
import { load } from './built-trawl.ts';

/** Opens a build of trawl as a worker does, with queue, quota ledger and a threaded store. */
export async function openWork(options: {
  readonly dist: string;
  readonly url: string;
  readonly db: string;
}): Promise<{ work: WorkContext; enqueue: (targets: readonly string[]) => Promise<void> }> {
  const { dist, url, db } = options;
  const { openWorkContext } = await load(dist, 'composition.js');
  const { buildChildEnvironment, readConfig } = await load(dist, 'config.js');
  const { createLog } = await load(dist, 'base/log.js');
  const { createCrawlSpec } = await load(dist, 'service/kinds/crawl-spec.js');
  // As the command line does; older builds have no such module.
  await load(dist, 'library/run/limit-heap-growth.js').then(
    ({ limitHeapGrowth }) => limitHeapGrowth(),
    () => undefined,
  );
  const work = await openWorkContext({
    config: readConfig({ ...buildChildEnvironment(), TRAWL_API_URL: url, TRAWL_API_KEY: 'bench' }),
    service: { apiUrl: url, apiKey: 'bench' },
    log: createLog({ level: 'warn' }),
    db,
    keepRaw: true,
  });
  const specOf = (target: string): CrawlSpec =>
    createCrawlSpec({ kind: 'followers', target: `id:${target}`, priority: 'interactive' });
  return {
    work,
    /** Queues crawls of the followers of accounts. */
    async enqueue(targets) {
      if (targets.length > 0) await work.producer.enqueue(targets.map(specOf));
    },
  };
}
