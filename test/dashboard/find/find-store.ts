import { openDatabase } from '#store/sqlite/database.ts';
import { createStoreFile } from '../../support/store-file.ts';
import { addTweet, addUser, NOW, updateSearchIndex } from '../../twin/support.ts';
import { HOSTILE } from '../accounts/account-store.ts';

const LATER = NOW + 10_000_000;

/** A deleted tweet, and an account that the service answers 404 for. */
const AFTER = `
  insert into crawls (id, kind, target, options, priority, state, reason, target_rest_id, created_at, updated_at, finished_at) values
    (900, 'followers', 'id:3', '{}', 'interactive', 'failed', 'not_found', '3', ${LATER}, ${LATER}, ${LATER});
  insert into requests (crawl_id, endpoint, sent_at, status, duration_ms, response_bytes) values (900, 'followers', ${LATER}, 404, 1, 1);
  insert into _deletion_evidence (tweet_id, suspected_at, confirmed_at, crawl_id)
    select id, ${LATER}, ${LATER}, 900 from tweets where rest_id = '13'`;

/**
 * Creates a store with the accounts 1 (`ada`), 2 (a hostile name) and 3 (`gone`, no longer available); the tweets 11 (right to
 * left), 12 (hostile), 13 (deleted) and 14 (of `gone`), which all have the word rain; and further tweets with the word fog.
 */
export function createFindStore(others = 0, file?: string): string {
  const path = createStoreFile(file);
  using db = openDatabase(path);
  const ada = addUser(db, {
    restId: '1',
    screenName: 'ada',
    name: 'Ada',
    description: 'Rain & <b>fog</b>',
    followersCount: 7,
  });
  const eve = addUser(db, { restId: '2', screenName: 'eve', name: HOSTILE, description: `rain ${HOSTILE}` });
  const gone = addUser(db, { restId: '3', screenName: 'gone', name: 'Gone', description: null });
  const add = (restId: string, authorId: number, text: string, likes: number) =>
    addTweet(db, { restId, authorId, text, createdAt: NOW + Number(restId), favoriteCount: likes });
  add('11', ada, 'هذا مطر rain اليوم', 5);
  add('12', eve, `rain ${HOSTILE} rain`, 3);
  add('13', ada, 'deleted rain', 9);
  add('14', gone, 'rain of nobody', 1);
  for (let i = 0; i < others; i++) add(String(100 + i), ada, `fog number ${i}`, i);
  db.$client.exec(AFTER);
  updateSearchIndex(db);
  return path;
}
