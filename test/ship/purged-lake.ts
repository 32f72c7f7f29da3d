import { eraseAccounts } from '#store/erasure/erase-accounts.ts';
import type { MentionsPolicy } from '#store/erasure/tombstones.ts';
import { openStore } from '#store/store.ts';
import { openLeased, pageOf, progressOf, rows, tweet, user } from '../store/support.ts';

/** Whom a store forgets. */
export const PERSON = { id: '70010001', handle: 'harbour_watch', name: 'Wanda Harbour', tweet: '90010001' };

/** What identifies them by itself, and what names them in texts of others. */
export const OWN_TRACES = [PERSON.id, PERSON.tweet, PERSON.name, 'my secret garden', 'lives by the sea'];
export const MENTIONS = [PERSON.handle];

/** Stores pages of a list, of a timeline and of a search that show the person and others. */
export async function storePerson(path: string, at: number): Promise<void> {
  await using store = openStore(path);
  const person = user(PERSON.id, {
    detailLevel: 'profile',
    screenName: PERSON.handle,
    name: PERSON.name,
    description: 'lives by the sea',
  });
  const other = user('70020002', { screenName: 'other', name: 'Other', description: `friend of @${PERSON.handle}` });
  const own = tweet(PERSON.tweet, { text: 'my secret garden', authorRestId: PERSON.id, createdAt: at });
  const reply = tweet('90020002', {
    text: `@${PERSON.handle} hello`,
    authorRestId: '70020002',
    createdAt: at,
    mentions: [PERSON.handle, 'third'],
    inReplyToStatusRestId: PERSON.tweet,
    inReplyToUserRestId: PERSON.id,
    inReplyToScreenName: PERSON.handle,
  });
  const plain = tweet('90020003', { text: 'about boats', authorRestId: '70020002', createdAt: at });
  const commit = async (kind: string, target: string, page: Parameters<typeof pageOf>[3]): Promise<void> => {
    const { id, lease } = await openLeased(store, at, { kind, target });
    await store.write.commitPage(pageOf(id, lease, at, { ...page, end: { state: 'complete', ending: 'served' } }));
  };
  const requests = [{ endpoint: 'followers', at, status: 200, ms: 1, bytes: 2 }];
  await commit('followers', 'id:70020002', {
    rows: rows({
      users: [other, person],
      follows: [
        {
          side: 'followers',
          owner: '70020002',
          members: [PERSON.id],
        },
      ],
    }),
    requests,
    progress: progressOf({
      targetRestId: '70020002',
      items: 1,
    }),
  });
  await commit('timeline', PERSON.handle, {
    rows: rows({ users: [person], tweets: [own] }),
    progress: progressOf({ targetRestId: PERSON.id, items: 1 }),
  });
  await commit('tweet', '90020003', {
    rows: rows({
      users: [other, person],
      tweets: [plain, own, reply],
      tweetLists: [{ kind: 'tweet', target: PERSON.tweet, tweets: ['90020002'] }],
    }),
  });
  await commit('search', 'boats', {
    rows: rows({
      users: [other, person],
      tweets: [plain, own],
      tweetLists: [{ kind: 'search', target: 'boats', tweets: [plain.restId, own.restId] }],
    }),
  });
}

/** Erases the person, as `trawl forget` does. */
export const forgetPerson = (path: string, mentions: MentionsPolicy) =>
  eraseAccounts({
    path,
    mentions,
    accounts: {
      restIds: [PERSON.id],
      handles: [PERSON.handle],
    },
    now: Date.now,
    onProgress: () => undefined,
  });
