import { expect, test } from 'vitest';
import { type Account, serveData, type Tweet } from './scripted-service.ts';
import { createCrawler } from './support.ts';

const OLD = {
  name: 'Old Name',
  description: 'old words',
  location: 'Old Town',
  url: 'https://old.test',
  type: 'old-type',
  profilePicture: 'https://images.test/old.png',
  coverPicture: 'https://images.test/old-cover.png',
  isBlueVerified: true,
  canDm: true,
  hasCustomTimelines: true,
  isTranslator: true,
  followers: 101,
  following: 102,
  favouritesCount: 103,
  mediaCount: 104,
  statusesCount: 105,
};
const NEW = {
  name: 'New Name',
  description: 'new words',
  location: 'New Town',
  url: 'https://new.test',
  type: 'new-type',
  profilePicture: 'https://images.test/new.png',
  coverPicture: 'https://images.test/new-cover.png',
  isBlueVerified: false,
  canDm: false,
  hasCustomTimelines: false,
  isTranslator: false,
  followers: 201,
  following: 202,
  favouritesCount: 203,
  mediaCount: 204,
  statusesCount: 205,
};

test('every change of a profile leaves the earlier value in the history', async () => {
  const accounts: Account[] = [{ id: '1', handle: 'anna', profile: OLD }];
  const service = await serveData({ accounts });
  const crawler = createCrawler(service);
  await crawler.crawl('profile', 'anna');

  service.data.accounts = [{ id: '1', handle: 'anna', profile: NEW }];
  await crawler.crawl('profile', 'anna');

  const history = crawler.rows('select * from user_history');
  const kept = new Set(history.flatMap((row) => Object.values(row)));
  const { isBlueVerified: _, canDm: __, hasCustomTimelines: ___, isTranslator: ____, ...values } = OLD;
  expect(Object.entries(values).filter(([, value]) => !kept.has(value))).toEqual([]);
  const flags = ['is_blue_verified', 'can_dm', 'has_custom_timelines', 'is_translator'];
  expect(flags.filter((flag) => !history.some((row) => row[flag] === 1))).toEqual([]);
});

test('an edited text leaves the earlier one in the history', async () => {
  const tweet = (text: string): Tweet => ({ id: '100', author: '1', text, at: Date.UTC(2025, 0, 1) });
  const service = await serveData({ accounts: [{ id: '1', handle: 'anna' }], tweets: [tweet('as written first')] });
  const crawler = createCrawler(service);
  await crawler.crawl('timeline', 'id:1');

  service.data.tweets = [tweet('as edited')];
  await crawler.crawl('timeline', 'id:1', '--full-refresh');

  expect(crawler.value('select text from v_tweets')).toBe('as edited');
  expect(crawler.rows('select text from tweet_history')).toEqual([{ text: 'as written first' }]);
});

test('replies name whom they answer even if that tweet is not stored, and nothing counts as an original without evidence', async () => {
  const accounts = [
    { id: '1', handle: 'anna' },
    { id: '2', handle: 'ben' },
  ];
  const tweets = [
    { id: '100', author: '1', text: 'question', at: Date.UTC(2025, 0, 1) },
    { id: '101', author: '2', text: 'answer', at: Date.UTC(2025, 0, 2), replyTo: '100' },
    { id: '102', author: '2', text: 'moon', at: Date.UTC(2025, 0, 3) },
  ];
  const crawler = createCrawler(await serveData({ accounts, tweets }));

  await crawler.crawl('replies', 'id:2');
  expect(crawler.rows('select rest_id, parent_rest_id, parent_author from v_replies')).toEqual([
    { rest_id: '101', parent_rest_id: '100', parent_author: 'anna' },
  ]);
  await crawler.crawl('search', 'question');

  expect(crawler.rows('select rest_id, is_reply from v_tweets order by rest_id')).toEqual([
    { rest_id: '100', is_reply: null },
    { rest_id: '101', is_reply: 1 },
    { rest_id: '102', is_reply: 0 },
  ]);
});
