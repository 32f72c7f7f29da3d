import { gunzipSync } from 'node:zlib';
import { BasicCrawler, Configuration, log, LogLevel } from '@crawlee/basic';
import { Pool } from 'undici';
import { pathOf, runPeer } from './work.js';

/** Crawlee's BasicCrawler, queue in memory, with undici to do the requests. */

log.setLevel(LogLevel.ERROR);

await runPeer(async ({ url, key, targets, chains, store }) => {
  const pool = new Pool(url, { connections: chains });
  const ask = (target, cursor) => ({ url: `${url}${pathOf(target, cursor)}`, userData: { target, cursor } });

  const failures = [];
  const crawler = new BasicCrawler(
    {
      minConcurrency: chains,
      maxConcurrency: chains,
      useSessionPool: false,
      async requestHandler({ request }) {
        const { target, cursor } = request.userData;
        const answer = await pool.request({
          method: 'GET',
          path: pathOf(target, cursor),
          headers: { 'x-api-key': key, 'accept-encoding': 'gzip' },
        });
        const body = gunzipSync(await answer.body.arrayBuffer());
        if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
        const next = store(target, body, JSON.parse(body.toString()));
        if (next !== undefined) await crawler.addRequests([ask(target, next)]);
      },
      failedRequestHandler: (_, error) => void failures.push(error),
    },
    new Configuration({ persistStorage: false }),
  );
  await crawler.run(targets.map((target) => ask(target)));
  await pool.close();
  if (failures.length > 0) throw failures[0];
});
