import { addShipTarget } from '#store/outbox/ship-targets.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { openStore, type Store } from '#store/store.ts';
import { openLeased, pageOf, progressOf, rows, spec, tweet, user } from '../store/support.ts';
import { runSuccessfully } from '../support/cli.ts';

/** Adds a lake as a target of a store. */
export function addLake(path: string, lake: string, at = 1): void {
  using db = openDatabase(path);
  addShipTarget(db, { address: lake, maxBacklogBytes: 1e9, at });
}

/** Stores a list of followers of account `of`, with changed names, and a timeline of it. */
export async function storePages(store: Store, of: string, at: number, pages = 3): Promise<void> {
  const list = await openLeased(store, at, { kind: 'followers', target: `id:${of}`, options: `{"maxPages":${at}}` });
  for (let page = 0; page < pages; page += 1) {
    const members = [1, 2, 3].map((n) => `${of}${page}${n}`);
    await store.write.commitPage(
      pageOf(list.id, list.lease, at + page, {
        requestCursor: page === 0 ? null : `c${page}`,
        rows: rows({
          users: [
            user(of, { detailLevel: 'profile', screenName: `a${of}`, followersCount: at % 7, location: 'Graz' }),
            ...members.map((id) => user(id, { screenName: `s${id}`, name: `Name at ${at}`, verified: page === 1 })),
          ],
          follows: [{ side: 'followers', owner: of, members }],
        }),
        requests: [{ endpoint: 'followers', at: at + page, status: 200, ms: 1, bytes: 2 }],
        progress: progressOf({ cursor: `c${page + 1}`, targetRestId: of, items: members.length }),
        end: page === pages - 1 ? { state: 'complete', ending: 'served' } : undefined,
      }),
    );
  }
  const timeline = await openLeased(store, at, { kind: 'timeline', target: `id:${of}`, options: `{"maxPages":${at}}` });
  const tweets = [1, 2].map((n) =>
    tweet(`${of}9${n}`, {
      text: `#cat at ${at}`,
      hashtags: ['cat'],
      authorRestId: of,
      favoriteCount: at,
      createdAt: n,
    }),
  );
  await store.write.commitPage(
    pageOf(timeline.id, timeline.lease, at + pages, {
      rows: rows({ users: [user(of, { detailLevel: 'reference' })], tweets }),
      progress: progressOf({ targetRestId: of, items: tweets.length }),
      end: { state: 'partial', reason: 'max_pages' },
    }),
  );
}

/** Ships the facts that wait. */
export const ship = (path: string) => runSuccessfully(['lake', 'ship', '--once', '--quiet', '--db', path]);

/** Lets a store ship from now on: that of a new one begins with an empty snapshot. */
export async function shipFrom(path: string, lake: string): Promise<void> {
  addLake(path, lake);
  await ship(path);
}

export async function createShipped(path: string, lake: string): Promise<void> {
  await openStore(path)[Symbol.asyncDispose]();
  await shipFrom(path, lake);
}

/** A store that ships, with pages and a crawl that is not finished. */
export async function shipUnfinished(path: string, lake: string): Promise<void> {
  await createShipped(path, lake);
  {
    await using store = openStore(path);
    await storePages(store, '1', 100);
    await store.write.openCrawls([spec({ target: 'id:9' })], 400);
  }
  await ship(path);
}
