import { openStore } from '../../../src/store/store.ts';
import { rowsOf } from '../../e2e/support.ts';
import { openLeased, pageOf, progressOf, rows, tweet, user } from '../../store/support.ts';
import { storePages } from '../shipped-store.ts';

/** An account that pages of all kinds show, with its tweets and the bodies of pages. */
export const ACCOUNT = '777';

/** Whether a row shows it: its id, its handle, or one of its tweets. */
export const showsAccount = (row: string): boolean => /(?<![\da-z])(?:777|a777|77791|77792)(?![\da-z])/.test(row);

/** The views that show it, among others. */
export const SHOWING = [
  'bodies',
  'crawls',
  'coverage_claims',
  'edge_sightings',
  'list_rereads',
  'list_snapshots',
  'reply_sightings',
  'tweet_sightings',
  'user_sightings',
  'v_completeness',
  'v_complete_lists',
  'v_coverage',
  'v_current_follows',
  'v_deleted_tweets',
  'v_follows',
  'v_replies',
  'v_tweet_changes',
  'v_tweet_versions',
  'v_tweets',
  'v_user_changes',
  'v_user_versions',
  'v_users',
];

/** Lists of others that have it as a member, and one that does not. */
const OTHERS = ['888', '999'];

/** What is known of the lists of others. */
export const OTHER_LISTS = `select kind, target_rest_id, state, is_complete, erased from v_completeness
  where kind = 'followers' and target_rest_id in (${OTHERS.map((id) => `'${id}'`).join(', ')}) order by target_rest_id`;

/** The same of a database, row by row. */
export const readOtherLists = (path: string): unknown[][] =>
  rowsOf<Record<string, unknown>>(path, OTHER_LISTS).map((row) => Object.values(row));

const bodyOf = (endpoint: string, at: number, parameters: object, body: object) => ({
  endpoint,
  parameters: JSON.stringify(parameters),
  status: 200,
  fetchedAt: at,
  body: Buffer.from(JSON.stringify(body)),
});

/** Stores pages that show the account, and others. */
export async function storeShownAccount(path: string): Promise<void> {
  await using store = openStore(path);
  await storePages(store, ACCOUNT, 100);
  await storePages(store, '888', 200);
  await storePages(store, ACCOUNT, 300);
  const list = await openLeased(store, 350, { kind: 'followers', target: 'id:999' });
  await store.write.commitPage(
    pageOf(list.id, list.lease, 350, {
      rows: rows({
        users: [user('999', { detailLevel: 'reference' }), user('5'), user(ACCOUNT, { screenName: 'a777' })],
        follows: [
          {
            side: 'followers',
            owner: '999',
            members: ['5', ACCOUNT],
          },
        ],
      }),
      endpoints: ['followers'],
      responseIndex: 0,
      bodies: [bodyOf('followers', 350, { id: '999' }, { users: [{ rest_id: '5' }, { screen_name: 'A777' }] })],
      progress: progressOf({
        targetRestId: '999',
        items: 2,
      }),
      end: {
        state: 'complete',
        ending: 'served',
      },
    }),
  );
  const reply = tweet('500', {
    text: 'yes',
    authorRestId: '2',
    inReplyToStatusRestId: '77791',
    inReplyToScreenName: 'a777',
  });
  const { id, lease } = await openLeased(store, 400, { kind: 'tweet', target: '77791' });
  await store.write.commitPage(
    pageOf(id, lease, 400, {
      rows: rows({
        users: [user('2'), user(ACCOUNT, { detailLevel: 'reference' })],
        tweets: [
          tweet('77791', {
            authorRestId: ACCOUNT,
            text: 'changed',
          }),
          reply,
        ],
        nested: {
          tweetId: '77791',
          replies: ['500'],
        },
      }),
      endpoints: ['tweet-detail'],
      responseIndex: 0,
      bodies: [bodyOf('tweet-detail', 400, { id: '77791' }, { text: 'changed' })],
    }),
  );
  const replies = await openLeased(store, 500, { kind: 'timeline', target: 'a777', options: '{"maxPages":9}' });
  await store.write.commitPage(
    pageOf(replies.id, replies.lease, 500, {
      coverage: {
        spans: [
          {
            newest: {
              id: '77792',
              at: 2,
            },
            oldest: {
              id: '77791',
              at: 1,
            },
            bottom: 'served',
            pages: 1,
            items: 2,
          },
        ],
        reread: {
          above: 0,
          below: 9,
        },
      },
      rows: rows({ users: [user(ACCOUNT, { detailLevel: 'reference' })] }),
      endpoints: ['user-profile', 'user-tweets'],
      responseIndex: 1,
      bodies: [
        bodyOf('user-profile', 499, { screenName: 'a777' }, { rest_id: ACCOUNT }),
        bodyOf('user-tweets', 500, { id: '12' }, { tweets: [{ text: 'about 7771 boats' }] }),
      ],
      progress: progressOf({ targetRestId: ACCOUNT }),
      end: {
        state: 'complete',
        ending: 'served',
      },
    }),
  );
}
