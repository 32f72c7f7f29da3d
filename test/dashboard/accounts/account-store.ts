import { openStore } from '#store/store.ts';
import { day, edges, INFERRED, MAX_PAGES, SERVED, storeOfAccount } from '../../analysis/coverage/account-store.ts';
import { progressOf, rows, user } from '../../store/support.ts';
import { createStoreFile } from '../../support/store-file.ts';

export const HOSTILE = `<img src=x onerror=alert(1)>\u202Egnp.exe مرحبا ${'long'.repeat(100)}`;

/**
 * Creates a store with the account 1 (`star`, 9 tweets reported, one page of 3 tweets stored, then stopped at --max-pages, or at the
 * end that `bottom` says), its complete list of two followers, and further accounts up to an id; the account 2 has a hostile name.
 */
export async function createAccountStore(
  count: number,
  { file, bottom }: { readonly file?: string; readonly bottom?: 'inferred' } = {},
): Promise<string> {
  await using store = openStore(createStoreFile(file));
  const { crawl, timeline } = storeOfAccount(store);
  const star = { screenName: 'star', name: 'The Star', createdAt: day(0), statusesCount: 9, followersCount: 2 };
  const others = Array.from({ length: count - 1 }, (_, i) =>
    user(String(i + 2), {
      detailLevel: 'profile',
      screenName: `user_${i + 2}`,
      name: i === 0 ? HOSTILE : `Name ${i + 2}`,
      followersCount: i,
    }),
  );
  await crawl(day(19), 'profile', SERVED, {
    rows: rows({ users: [user('1', { detailLevel: 'profile', ...star }), ...others] }),
    progress: progressOf({ targetRestId: '1', items: 1 }),
  });
  await timeline(day(20), bottom ? INFERRED : MAX_PAGES, bottom ? [11.75, 11.5, 11.25] : [15, 13, 11]);
  await crawl(day(20), 'followers', SERVED, edges('followers', ['2', '3']));
  return store.path;
}
