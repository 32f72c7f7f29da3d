import { describe, expect, test } from 'vitest';
import { readPage } from '#service/contract/wire-page.ts';
import { addCommunity, addList, addTweet, addUser, NOW, temporaryStore, testTwin } from './support.ts';

const GROUPS = [
  ['community-tweets', 'communityId', 'community', addCommunity],
  ['list-latest-tweets', 'listId', 'list', addList],
] as const;

describe.each(GROUPS)('%s', (endpoint, parameter, owner, addGroup) => {
  /** A group of `size` tweets by one author. */
  async function grouped(size: number) {
    const db = temporaryStore();
    const ada = addUser(db, { restId: '1', screenName: 'ada', name: 'Ada' });
    const tweetIds = Array.from({ length: size }, (_, i) =>
      addTweet(db, { restId: `t${i}`, authorId: ada, createdAt: NOW + i }),
    );
    addGroup(db, { restId: '7', name: 'Makers', description: 'people who make', tweetIds });
    const twin = await testTwin({ db });
    const read = async (restId = '7') =>
      readPage(endpoint, { data: await twin.data(endpoint, { [parameter]: restId }) });
    const ids = async (restId?: string) => (await read(restId)).items.map(({ value }) => (value as { id: string }).id);
    return { db, ada, twin, read, ids };
  }

  test('shows the group, then tweets with their authors', async () => {
    const { read } = await grouped(1);
    const { owner: group, items, unexpectedEntries } = await read();
    expect(group).toEqual({
      path: `/data/${owner}`,
      value: { id: '7', name: 'Makers', description: 'people who make' },
    });
    expect(items.map(({ value }) => value)).toMatchObject([
      { id: 't0', author: { id: '1', name: 'Ada', screen_name: 'ada' } },
    ]);
    expect(unexpectedEntries).toEqual([]);
  });

  test('shows no tweet of another group or without a time, but one without an author', async () => {
    const { db, ids } = await grouped(2);
    const timeless = addTweet(db, { restId: 'timeless', createdAt: null });
    const orphan = addTweet(db, { restId: 'orphan' });
    addGroup(db, { restId: '8', tweetIds: [timeless, orphan] });
    expect(await ids('8')).toEqual(['orphan']);
    expect(await ids()).toEqual(['t1', 't0']);
  });

  test('of a known group without tweets is empty, not missing; its unknown name is neutral', async () => {
    const { db, read } = await grouped(0);
    addGroup(db, { restId: '9' });
    expect(await read('9')).toMatchObject({ owner: { value: { id: '9', name: '', description: '' } }, items: [] });
  });
});
