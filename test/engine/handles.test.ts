import { describe, expect, test } from 'vitest';
import { systemClock } from '#base/clock.ts';
import { buildRawQuery, createWindowSpec } from '#crawl/search/window-crawl.ts';
import { createCrawlSpec, parseCrawlOptions } from '#service/kinds/crawl-spec.ts';
import { type Answer, crawlAgainst, GONE, profile, reference, timeline } from './support.ts';

/** A service that tells upper case from lower case in handles. */
const caseSensitive = (holders: Readonly<Record<string, string>>) => ({
  'user-profile': ({ screenName = '' }: Record<string, string>): Answer =>
    Object.hasOwn(holders, screenName) ? profile(holders[screenName]!, screenName) : GONE,
  'user-tweets': ({ restId = '' }: Record<string, string>): Answer => {
    const handle = Object.keys(holders).find((name) => holders[name] === restId);
    return handle === undefined ? GONE : timeline(reference(restId, handle), ['9@1'], null);
  },
});

describe('a case-sensitive service', () => {
  test('gets a handle as it was typed', async () => {
    const { run, asked } = await crawlAgainst(caseSensitive({ 'HarbourNews.org': '1' }));
    const { crawl } = await run('timeline', '@HarbourNews.org');
    expect(crawl).toMatchObject({ target: 'harbournews.org', handle: 'HarbourNews.org', targetRestId: '1' });
    expect(crawl.state).not.toBe('failed');
    expect(asked).toEqual(['user-profile HarbourNews.org', 'user-tweets 1']);
  });

  test('gets the handle in its own spelling once the store knows it', async () => {
    const { run, asked } = await crawlAgainst(caseSensitive({ HarbourNews: '1' }));
    await run('profile', 'HarbourNews');
    const { crawl } = await run('profile', 'harbournews');
    expect(asked).toEqual(['user-profile HarbourNews', 'user-profile HarbourNews']);
    expect(crawl).toMatchObject({ state: 'complete', target: 'harbournews', handle: 'HarbourNews' });
  });

  test('gets the handle as typed if the account changed its case', async () => {
    const holders: Record<string, string> = { harbourNews: '1' };
    const { run, asked } = await crawlAgainst(caseSensitive(holders));
    await run('profile', 'harbourNews');
    delete holders['harbourNews'];
    holders['HarbourNews'] = '1';
    const { crawl } = await run('profile', 'HarbourNews');
    expect(asked.slice(1)).toEqual(['user-profile harbourNews', 'user-profile HarbourNews']);
    expect(crawl).toMatchObject({ state: 'complete', handle: 'HarbourNews' });
  });

  test('gets the spelling of a former holder if the handle belongs to another account', async () => {
    const holders: Record<string, string> = { HarbourNews: '1' };
    const { run, asked } = await crawlAgainst(caseSensitive(holders));
    await run('profile', 'HarbourNews');
    Object.assign(holders, { moved: '1', HarbourNews: '2' });
    await run('profile', 'moved');
    const { crawl } = await run('timeline', 'harbournews');
    expect(asked.slice(2)).toEqual(['user-profile HarbourNews', 'user-tweets 2']);
    expect(crawl).toMatchObject({ targetRestId: '2', handle: 'HarbourNews' });
  });

  test('follows the last holder of a handle that nobody has, not one who had it before', async () => {
    const holders: Record<string, string> = { harbour: '1' };
    const { run, asked } = await crawlAgainst(caseSensitive(holders));
    await run('profile', 'harbour');
    holders['harbour'] = '2';
    await run('profile', 'harbour');
    delete holders['harbour'];
    holders['moved'] = '2';
    await run('profile', 'moved');
    const { crawl } = await run('timeline', 'harbour');
    expect(asked.slice(3)).toEqual(['user-profile harbour', 'user-tweets 2']);
    expect(crawl).toMatchObject({ targetRestId: '2' });
  });

  test.each(['Ünïcode', 'naïve', '名前', '-dash', '@id:7', '@@at'])('knows %s', async (typed) => {
    const handle = typed.replace(/^@/, '');
    const { run, asked } = await crawlAgainst(caseSensitive({ [handle]: '1' }));
    const { crawl } = await run('timeline', typed);
    expect(crawl).toMatchObject({ targetRestId: '1', handle });
    expect(asked[0]).toBe(`user-profile ${handle}`);
    // By now the store knows whose it is, whatever its case.
    await run('timeline', typed.toUpperCase().replace('ID:', 'id:'));
    expect(asked.filter((one) => one.startsWith('user-profile'))).toHaveLength(1);
  });
});

test('two spellings of a handle are one unfinished crawl, which sends the newer one', async () => {
  const { store } = await crawlAgainst({});
  const now = systemClock.now();
  const open = async (target: string) =>
    (await store.write.openCrawls([createCrawlSpec({ kind: 'timeline', target, priority: 'interactive' })], now))[0]!;
  const first = await open('nasa');
  expect(await open('@NASA')).toEqual({ id: first.id, isJoined: true });
  expect(store.read.crawl(first.id)).toMatchObject({ target: 'nasa', handle: 'NASA' });
});

test("a search for the tweets of a handle sends the service's spelling, and has the same identity", () => {
  const spec = createWindowSpec('from:nasa', { from: 0, to: 86_400_000 }, { priority: 'backfill', handle: 'NASA' });
  expect(spec.target).toBe('from:nasa');
  expect(buildRawQuery({ ...spec, handle: spec.handle ?? null, options: parseCrawlOptions(spec) })).toMatch(
    /^from:NASA since:/,
  );
});
