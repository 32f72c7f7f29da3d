import { rmSync } from 'node:fs';
import { Configuration, HttpCrawler, log, LogLevel } from '@crawlee/http';
import { pathOf, runPeer } from './work.js';

/** Crawlee's HttpCrawler. Its request queue is on disk, as it comes, or with `--queue memory` in memory. */

log.setLevel(LogLevel.ERROR);

await runPeer(
  async ({ url, key, db, targets, chains, queue, store }) => {
    const localDataDirectory = `${db}.crawlee`;
    const persistStorage = queue === 'disk';
    const ask = (target, cursor) => ({
      url: `${url}${pathOf(target, cursor)}`,
      headers: { 'x-api-key': key },
      userData: { target },
    });

    const failures = [];
    const crawler = new HttpCrawler(
      {
        // As many as asked for, whatever the autoscaling thinks of the load.
        minConcurrency: chains,
        maxConcurrency: chains,
        // For an API: no sessions and no cookies, and no headers to look like a browser.
        useSessionPool: false,
        persistCookiesPerSession: false,
        preNavigationHooks: [(_, gotOptions) => void (gotOptions.useHeaderGenerator = false)],
        async requestHandler({ request, body, json }) {
          const { target } = request.userData;
          const cursor = store(target, body, json);
          if (cursor !== undefined) await crawler.addRequests([ask(target, cursor)]);
        },
        failedRequestHandler: (_, error) => void failures.push(error),
      },
      new Configuration({ persistStorage, storageClientOptions: { localDataDirectory, persistStorage } }),
    );
    await crawler.run(targets.map((target) => ask(target)));
    rmSync(localDataDirectory, { recursive: true, force: true });
    if (failures.length > 0) throw failures[0];
  },
  { queue: { type: 'string', default: 'disk' } },
);
