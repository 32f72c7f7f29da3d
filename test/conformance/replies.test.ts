import { expect, test } from 'vitest';
import { serveData } from './scripted-service.ts';
import { createCrawler, people } from './support.ts';

const authors = people(3, 2, 'author');
const question = { id: '1000', author: '1', text: 'a question', at: Date.UTC(2025, 0, 1) };
/** Six replies to a tweet of anna's; the first of each author answers anna, and one author answers twice. */
const replies = Array.from({ length: 6 }, (_, n) => ({
  id: String(2000 + n),
  author: authors[n % 3]!.id,
  text: `reply ${n}`,
  at: Date.UTC(2025, 1, 1 + n),
  replyTo: '1000',
}));
const own = { id: '3000', author: '2', text: 'an original tweet', at: Date.UTC(2025, 2, 1) };
const DATA = { accounts: [{ id: '1', handle: 'anna' }, ...authors], tweets: [question, ...replies, own] };

const RELATIONS = `select rest_id, author_rest_id, parent_rest_id, parent_author_rest_id, parent_author from v_replies order by rest_id`;
const expectedRelations = replies.map(({ id, author }) => ({
  rest_id: id,
  author_rest_id: author,
  parent_rest_id: '1000',
  parent_author_rest_id: '1',
  parent_author: 'anna',
}));

// Nothing says whether the tweet above them is itself a reply.
test('nested replies are replies to their tweet', async () => {
  const crawler = createCrawler(await serveData(DATA));

  const { code } = await crawler.crawl('tweet', '1000');

  expect(code).toBe(0);
  expect(crawler.rows(RELATIONS)).toEqual(expectedRelations);
  const isReply = crawler.rows('select rest_id, is_reply from v_tweets order by rest_id');
  expect(isReply).toEqual([
    { rest_id: '1000', is_reply: null },
    ...replies.map(({ id }) => ({ rest_id: id, is_reply: 1 })),
  ]);
});

test('rebuild restores the relations of nested replies', async () => {
  const crawler = createCrawler(await serveData(DATA));
  await crawler.crawl('tweet', '1000');
  const before = crawler.rows(RELATIONS);

  const { code, stderr } = await crawler.trawl('rebuild');

  expect(code, stderr).toBe(0);
  expect(crawler.rows(RELATIONS)).toEqual(before);
  expect(before).toEqual(expectedRelations);
});
