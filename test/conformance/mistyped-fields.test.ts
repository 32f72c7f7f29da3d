import { expect, test } from 'vitest';
import { type Hook, type Json, serveData, type Tweet } from './scripted-service.ts';
import { createCrawler, idsOf, people } from './support.ts';

const VALUES: readonly unknown[] = [null, 5, 1.5, 'x', true, {}, [], [{}]];
const COUNTS = ['favorite_count', 'retweet_count', 'reply_count', 'quote_count'];
const TWEET = ['text', 'created_at', ...COUNTS, 'media'];
const REPLY_TO = ['in_reply_to_status_id', 'in_reply_to_user_id', 'in_reply_to_screen_name'];
const SUMMARY = [
  'id',
  'name',
  'screen_name',
  'profile_image_url',
  'description',
  'followers_count',
  'following_count',
  'verified',
];
const PROFILE = [
  'type',
  'url',
  'name',
  'isBlueVerified',
  'profilePicture',
  'coverPicture',
  'description',
  'location',
  'followers',
  'following',
  'canDm',
  'createdAt',
  'favouritesCount',
  'hasCustomTimelines',
  'isTranslator',
  'mediaCount',
  'statusesCount',
];

/** Each field of an item in each form that is not its own, one at a time. */
const cellsOf = (fields: readonly string[]): { field: string; value: unknown }[] =>
  fields.flatMap((field) => VALUES.map((value) => ({ field, value })));

/** The items of a page, wherever its endpoint has them. */
function itemsOf(endpoint: string, data: Json): Json[] {
  if (endpoint === 'user-profile') return [data];
  const list = data['timeline'] ?? data['tweets'] ?? data['tweet']?.replies ?? data[endpoint]?.timeline;
  const entries: Json[] = list?.entries ?? list?.instructions[0].entries;
  return entries.flatMap(({ content }) => content.tweet ?? content.user ?? []);
}

const tweetsBy = (author: (n: number) => string, count: number, more: Partial<Tweet> = {}): Tweet[] =>
  Array.from({ length: count }, (_, n) => {
    return {
      id: String(1000 + n),
      author: author(n),
      text: `moon number${n}`,
      at: Date.UTC(2025, 0, 1) - n * 1000,
      ...more,
    };
  });

const TABLE = [
  { kind: 'followers', target: 'id:1', endpoint: 'followers', fields: SUMMARY },
  { kind: 'following', target: 'id:1', endpoint: 'following', fields: SUMMARY },
  { kind: 'timeline', target: 'id:1', endpoint: 'user-tweets', fields: [...TWEET, 'has_media', 'author'] },
  { kind: 'replies', target: 'id:1', endpoint: 'user-tweets-replies', fields: [...TWEET, ...REPLY_TO] },
  { kind: 'search', target: 'moon', endpoint: 'search', fields: [...TWEET, 'author'] },
  { kind: 'community', target: '7', endpoint: 'community-tweets', fields: [...TWEET, 'author'] },
  { kind: 'list', target: '8', endpoint: 'list-latest-tweets', fields: [...TWEET, 'author'] },
  { kind: 'tweet', target: '999', endpoint: 'tweet-detail', fields: ['text', 'created_at', 'author', 'media'] },
] as const;

test.each(TABLE)('no field of $kind but the identity costs an item', async ({ kind, target, endpoint, fields }) => {
  const cells = cellsOf(fields);
  const others = people(cells.length, 1000, 'other');
  const question = { id: '999', author: '1', text: 'question', at: Date.UTC(2024, 0, 1) };
  const tweets = tweetsBy(() => '1', cells.length, kind === 'tweet' ? { replyTo: '999' } : {});
  const ids = idsOf(tweets);
  const hook: Hook = (call, next) => {
    const answer = next();
    if (call.endpoint !== endpoint) return answer;
    for (const [n, item] of itemsOf(endpoint, (answer.body as Json)['data']).entries()) {
      const { field, value } = cells[n] ?? { field: 'text', value: 'question' };
      if (field === 'id') item['rest_id'] ??= item['id'];
      item[field] = value;
    }
    return answer;
  };
  const data = {
    accounts: [{ id: '1', handle: 'anna', followers: idsOf(others), following: idsOf(others) }, ...others],
    tweets: kind === 'tweet' ? [question, ...tweets] : tweets,
    communities: [{ id: '7', name: 'Walkers', tweets: ids }],
    lists: [{ id: '8', name: 'Readers', tweets: ids }],
  };
  const most = 10_000;
  const service = await serveData(data, {
    pageSize: most,
    mostShown: { search: most, replies: most, others: most },
    hook,
  });
  const crawler = createCrawler(service);

  const { code, summary } = await crawler.crawl(kind, target);

  const items = kind.startsWith('follow') ? "v_users where rest_id <> '1'" : "v_tweets where rest_id <> '999'";
  const stored = new Set(crawler.rows(`select rest_id from ${items}`).map((row) => row['rest_id']));
  const missing = cells.filter((_, n) => !stored.has(String(1000 + n)));
  expect(missing).toEqual([]);
  expect(stored.size).toBe(cells.length);
  expect(summary['crawls']).toMatchObject([{ rejectedItems: 0, reason: null }]);
  expect(code).toBe(0);
});

test('no field of a profile but the identity costs it', async () => {
  const cells = cellsOf(PROFILE);
  const accounts = people(cells.length, 1000, 'other').map((account, n) => {
    return { ...account, profile: { [cells[n]!.field]: cells[n]!.value } };
  });
  const crawler = createCrawler(await serveData({ accounts }));

  const { code } = await crawler.crawl('profile', ...accounts.map(({ handle }) => handle));

  const stored = new Set(
    crawler.rows("select rest_id from v_users where known_by = 'profile'").map((row) => row['rest_id']),
  );
  expect(cells.filter((_, n) => !stored.has(String(1000 + n)))).toEqual([]);
  expect(code).toBe(0);
});
