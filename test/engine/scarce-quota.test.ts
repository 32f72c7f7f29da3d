import { describe, expect, test } from 'vitest';
import { MINUTE, SECOND } from '#base/clock.ts';
import { createModelWindow } from '../quota/model-window.ts';
import { type Answer, crawlAgainst, GONE, profile, type Script } from './support.ts';

/** A service with a sliding window of a minute, which counts the requests of a script and those of other clients. */
async function crawlWithin(limit: number, script: Script) {
  const window = createModelWindow({ limit, windowMs: MINUTE, sliding: true });
  const begun = Date.now();
  const now = (): number => crawler.ports.clock.now() - begun;
  const metered = (endpoint: keyof Script) => (parameters: Record<string, string>, nth: number) => {
    if (window.ask(now()) !== undefined) return { status: 429, body: '{}' };
    return script[endpoint]?.(parameters, nth) ?? GONE;
  };
  const tokenInfo = (): Answer => {
    const reset_at = new Date(begun + window.nextReturn(now())).toISOString();
    return { data: { app_limit: limit, remaining: window.remaining(now()), reset_at } };
  };
  const crawler = await crawlAgainst({
    'token-info': tokenInfo,
    'user-profile': metered('user-profile'),
    followers: metered('followers'),
  });
  return {
    ...crawler,
    refused: window.refused,
    /** Other clients use the rest of the quota but `left`, one request every 15 seconds. */
    spendAllBut(left: number): void {
      while (window.remaining(now()) > left) {
        crawler.pass(15 * SECOND);
        window.ask(now());
      }
    },
    /** Runs a crawl through its pauses until it ends, or pauses after so long. */
    async runThrough(kind: string, target: string, most = 5 * MINUTE) {
      const end = now() + most;
      for (;;) {
        const { crawl, slice } = await crawler.run(kind, target);
        if (slice.next === 'done' || now() >= end) return crawl;
        if ('until' in slice) crawler.pass(Math.max(0, slice.until - crawler.ports.clock.now()));
      }
    },
  };
}

/** A profile by the one spelling that the service knows. */
const holderOf = (holder: { spelling: string }): Script => ({
  'user-profile': ({ screenName = '' }) => (screenName === holder.spelling ? profile('1', screenName) : GONE),
});

describe('a sliding window that frees one request at a time', () => {
  test('lets a page of two requests end (invariant 9)', async () => {
    const holder = { spelling: 'user0' };
    const { spendAllBut, runThrough, asked, refused } = await crawlWithin(4, holderOf(holder));
    await runThrough('profile', 'user0');
    holder.spelling = 'USER0';
    spendAllBut(1);

    const crawl = await runThrough('profile', 'USER0');

    expect(crawl).toMatchObject({ state: 'complete', handle: 'USER0', requests: 3 });
    expect(asked.slice(1)).toEqual(['user-profile user0', 'user-profile user0', 'user-profile USER0']);
    expect(refused).toEqual([]);
  });

  test('gives back what was reserved for requests that a page no longer needs', async () => {
    const holder = { spelling: 'user0' };
    const { spendAllBut, runThrough, run, pass, asked, ports } = await crawlWithin(4, holderOf(holder));
    await runThrough('profile', 'user0');
    holder.spelling = 'USER0';
    spendAllBut(1);
    while (asked.length < 2) await runThrough('profile', 'USER0', SECOND);
    holder.spelling = 'user0';
    pass(2 * MINUTE);

    const { crawl } = await run('profile', 'USER0');

    expect(crawl).toMatchObject({ state: 'complete', requests: 2 });
    expect(await ports.governor.readStatus()).toMatchObject({ estimate: 3 });
  });

  test('sends the requests one by one if the quota never has two', async () => {
    const holder = { spelling: 'user0' };
    const { runThrough, asked, refused } = await crawlWithin(2, holderOf(holder));
    await runThrough('profile', 'user0');
    holder.spelling = 'USER0';

    const crawl = await runThrough('profile', 'USER0');

    expect(crawl.state).toBe('paused');
    expect(asked.slice(1, 3)).toEqual(['user-profile user0', 'user-profile user0']);
    expect(refused).toEqual([]);
  });
});
