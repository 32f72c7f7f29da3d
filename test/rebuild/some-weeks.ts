import { days, livingList } from '../engine/living-list.ts';
import { type CrawlSettings, crawlAgainst, followers, profile, reference, type Script } from '../engine/support.ts';

/**
 * A store after several crawls: a timeline with missing tweets and a rejected item, followers with an unfollow, a look-up,
 * a 404, and a crawl that was stopped early, resumed and cancelled. @param prepare called before the first crawl of a store
 * @param hosts the number of stores that crawl in turn
 */
export async function someWeeks(
  options: CrawlSettings = {},
  prepare: (path: string) => Promise<unknown> = async () => undefined,
  hosts = 1,
) {
  const list = livingList({ pageSize: 5, items: days(12) });
  const nasa = reference('1', 'nasa');
  let people = ['ada', 'bob', 'cyd', 'dan'];
  const script: Script = {
    'user-profile': ({ screenName }) =>
      screenName === 'nasa' ? profile('1', 'nasa', 3, { followers: people.length }) : { status: 404, body: '{}' },
    'user-tweets': (parameters) => list.answer(parameters),
    followers: () =>
      followers(
        nasa,
        people.map((name, i) => ({ ...reference(`2${name.length}${name}`, name), followers_count: i })),
        null,
      ),
  };
  const engines: Awaited<ReturnType<typeof crawlAgainst>>[] = [];
  for (let i = 0; i < hosts; i++) engines.push(await crawlAgainst(script, options));
  for (const { store } of engines) await prepare(store.path);
  let turns = 0;
  const run = (...crawl: Parameters<(typeof engines)[0]['run']>) => engines[turns++ % hosts]!.run(...crawl);
  await run('timeline', 'nasa');
  // One is deleted, another only not shown.
  list.items = list.items.filter(({ id }) => id !== 8 && id !== 4);
  await run('timeline', 'nasa', { fullRefresh: true });
  await run('tweet', '8', { isRecheck: true });
  await run('followers', 'nasa');
  people = ['eve', 'ada', 'cyd', 'dan'];
  list.add(7);
  list.broken.add(17);
  await run('followers', 'nasa');
  await run('timeline', 'nasa');
  await run('timeline', 'nobody');
  await run('followers', 'nasa', { maxPages: 3 });
  list.add(7);
  list.broken.clear();
  const { crawl } = await run('timeline', 'nasa', { maxPages: 1 });
  const { store: last } = engines[(turns - 1) % hosts]!;
  await last.write.resumeCrawls([{ id: crawl.id, options: '{}' }], Date.now());
  await last.write.cancelCrawls([crawl.id], Date.now());
  for (const { store } of engines) await store[Symbol.asyncDispose]();
  return { path: engines[0]!.store.path, paths: engines.map(({ store }) => store.path) };
}
