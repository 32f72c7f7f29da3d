import { expect, it } from 'vitest';
import { MINUTE } from '#base/clock.ts';
import { crawlAgainst, followers, GONE, profile, reference } from '../support.ts';

const IDS = ['1', '2', '3', '4', '5', '6'];
const NO_TWEETS = { kind: 'timeline', state: 'complete', reason: 'no_tweets' };

it.each([true, false])(
  'crawls whose look-up is out send nothing but one probe (invariant 9); with bodies: %s',
  async (keepRaw) => {
    let isOut = true;
    const { run, asked, pass } = await crawlAgainst(
      {
        'user-tweets': () => GONE,
        followers: ({ restId = '' }) =>
          isOut ? { status: 503 } : followers(reference(restId, `s${restId}`), [], null),
        'user-profile': ({ screenName = '' }) => profile(screenName.slice(1), screenName, 0),
      },
      { keepRaw },
    );
    const runAll = async () => {
      for (const id of IDS) expect((await run('timeline', `id:${id}`)).crawl).toMatchObject({ reason: 'outage' });
    };
    await runAll();
    const sent = asked.length;
    await runAll();
    expect(asked).toHaveLength(sent);

    pass(MINUTE);
    await runAll();
    expect(asked.slice(sent)).toEqual(['user-tweets 1', 'followers 1']);

    isOut = false;
    pass(MINUTE);
    for (const id of IDS) expect((await run('timeline', `id:${id}`)).crawl).toMatchObject(NO_TWEETS);
  },
);
