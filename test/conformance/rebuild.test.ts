import { expect, test } from 'vitest';
import { openConnection } from '../../src/store/sqlite/driver.ts';
import { tweetsOf } from './lists.ts';
import { serveData } from './scripted-service.ts';
import { createCrawler } from './support.ts';

/** What a user added to a store: full-text tables of each form, another virtual table, a table, a view and an index. */
const ADDED = `
  create virtual table notes using fts5(title, body);
  insert into notes values ('first', 'a note on the moon');
  create virtual table tweet_words using fts5(text, content='tweets', content_rowid='id');
  insert into tweet_words(tweet_words) values ('rebuild');
  create virtual table places using rtree(id, west, east);
  insert into places values (1, 2, 3);
  create table labels (tweet text primary key, label text);
  insert into labels values ('100', 'good');
  create index labels_label on labels (label);
  create view good_tweets as select v.text from v_tweets v join labels on v.rest_id = labels.tweet where label = 'good';
  create trigger label_case after insert on labels begin update labels set label = lower(label) where tweet = new.tweet; end;
`;

test('a rebuild keeps the full-text tables, tables, views and triggers that a user added', async () => {
  const service = await serveData({ accounts: [{ id: '1', handle: 'anna' }], tweets: tweetsOf('1', 3, 100) });
  const crawler = createCrawler(service);
  await crawler.crawl('timeline', 'id:1');
  const db = openConnection(crawler.file);
  db.exec(ADDED);
  db.close();

  const { code, stderr } = await crawler.trawl('rebuild');

  expect(code, stderr).toBe(0);
  expect(crawler.rows("select title from notes where notes match 'moon'")).toEqual([{ title: 'first' }]);
  expect(crawler.value("select count(*) from tweet_words where tweet_words match 'moon'")).toBe(3);
  expect(crawler.rows('select * from places')).toEqual([{ id: 1, west: 2, east: 3 }]);
  expect(crawler.rows('select text from good_tweets')).toEqual([{ text: 'moon number0' }]);
  const again = openConnection(crawler.file);
  again.exec("insert into labels values ('101', 'GOOD')");
  expect(again.prepare("select label from labels where tweet = '101'").pluck().get()).toBe('good');
  expect(again.pragma('integrity_check', { simple: true })).toBe('ok');
  again.close();
});
