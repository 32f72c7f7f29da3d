import { NEW_CHECKPOINT } from '../../../src/service/kinds/checkpoint.ts';
import { openStore } from '../../../src/store/store.ts';
import { openLeased, pageOf, progressOf, rows, tweet, user } from '../../store/support.ts';
import { createStoreFile } from '../../support/store-file.ts';

export const HOSTILE = `<img src=x onerror=alert(1)>\u202Egnp.exe مرحبا ${'long'.repeat(100)}`;
const START = Date.UTC(2025, 0, 1);
const at = (day: number): number => START + Math.round(day * 86_400_000);

/**
 * Creates a store with the account 1 (`star`, 9 tweets reported, one page of 3 tweets stored, then stopped at --max-pages, or at the
 * end that `bottom` says), its complete list of two followers, and further accounts up to an id; the account 2 has a hostile name.
 */
export async function createAccountStore(
  count: number,
  { file, bottom }: { readonly file?: string; readonly bottom?: 'inferred' } = {},
): Promise<string> {
  await using store = openStore(createStoreFile(file));
  const commit = async (kind: string, day: number, more: Parameters<typeof pageOf>[3]) => {
    const { id, lease } = await openLeased(store, at(day), { kind, target: 'id:1', options: '{}' });
    await store.write.commitPage(pageOf(id, lease, at(day) + 5, more));
  };
  const star = { screenName: 'star', name: 'The Star', createdAt: at(0), statusesCount: 9, followersCount: 2 };
  await commit('profile', 19, {
    rows: rows({
      users: [
        user('1', { detailLevel: 'profile', ...star }),
        ...Array.from({ length: count - 1 }, (_, i) =>
          user(String(i + 2), {
            detailLevel: 'profile',
            screenName: `user_${i + 2}`,
            name: i === 0 ? HOSTILE : `Name ${i + 2}`,
            followersCount: i,
          }),
        ),
      ],
    }),
    progress: progressOf({ targetRestId: '1', items: 1 }),
    end: { state: 'complete', ending: 'served' },
  });
  const marks = (bottom ? [11.6, 11.4, 11.2] : [15, 13, 11]).map((day) => ({ id: `t${day}`, at: at(day) }));
  const [newest, oldest] = [marks[0]!, marks[2]!];
  const scan = { isFromTop: true, newest, oldest, tail: marks.slice(-2), outlier: null, pages: 0, items: 0 };
  await commit('timeline', 20, {
    rows: rows({
      users: [user('1', { detailLevel: 'reference' })],
      tweets: marks.map((mark) => tweet(mark.id, { authorRestId: '1', createdAt: mark.at })),
    }),
    progress: progressOf({ targetRestId: '1', items: 3, checkpoint: { ...NEW_CHECKPOINT, scan } }),
    coverage: { spans: [{ newest, oldest, bottom, pages: 1, items: 3 }] },
    end: bottom ? { state: 'complete', ending: 'served' } : { state: 'partial', reason: 'max_pages' },
  });
  await commit('followers', 20, {
    rows: rows({
      users: ['1', '2', '3'].map((restId) => user(restId, { detailLevel: 'reference' })),
      follows: [{ side: 'followers', owner: '1', members: ['2', '3'] }],
    }),
    progress: progressOf({ targetRestId: '1', items: 2 }),
    end: { state: 'complete', ending: 'served' },
  });
  return store.path;
}
