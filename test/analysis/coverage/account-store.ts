import { onTestFinished } from 'vitest';
import { prepareAccountCoverage } from '#analysis/coverage/account-coverage.ts';
import type { AccountCoverage } from '#analysis/coverage/coverage-model.ts';
import { DAY } from '#base/clock.ts';
import { NEW_CHECKPOINT, type ScanSegment } from '#service/kinds/checkpoint.ts';
import type { CrawlEnd } from '#service/kinds/decide-end.ts';
import type { PageCommit } from '#store/schema/commit-messages.ts';
import type { EdgeList } from '#store/schema/normalised-rows.ts';
import { openReadOnly } from '#store/sqlite/database.ts';
import { newStore, pageOf, progressOf, readerOf, rows, spec, tweet, user } from '../../store/support.ts';

export const SERVED: CrawlEnd = { state: 'complete', ending: 'served' };
export const INFERRED: CrawlEnd = { state: 'capped', ending: 'inferred' };
export const ONE_PAGE: CrawlEnd = { state: 'capped', ending: 'one_page' };
export const NO_TWEETS: CrawlEnd = { state: 'complete', reason: 'no_tweets', ending: 'served' };
export const MAX_PAGES: CrawlEnd = { state: 'partial', reason: 'max_pages' };

export const day = (n: number): number => Date.UTC(2025, 0, 1) + n * DAY;

/** An account, created on day 0, in a store; each crawl has one page, and its time. */
export function storeOfAccount(store = newStore(), restId = '1') {
  async function crawl(
    at: number,
    kind: string,
    end: CrawlEnd | undefined,
    {
      target = `id:${restId}`,
      options,
      ...more
    }: Partial<PageCommit> & { readonly target?: string; readonly options?: object } = {},
  ): Promise<number> {
    const one = spec({ kind, target, options: JSON.stringify({ ...options, at }) });
    const { id } = (await store.write.openCrawls([one], at))[0]!;
    const { leaseToken: lease } = (await store.write.takeLease(id, at))!;
    const progress = progressOf({ targetRestId: restId, items: 3, ...more.progress });
    await store.write.commitPage(pageOf(id, lease, at + 5, { end, ...more, progress }));
    return id;
  }

  return {
    store,
    restId,
    crawl,
    profile: async (at: number, statusesCount: number | null, more: object = {}) =>
      await crawl(at, 'profile', SERVED, {
        rows: rows({
          users: [
            user(restId, {
              detailLevel: 'profile',
              screenName: `star${restId}`,
              createdAt: day(0),
              statusesCount,
              ...more,
            }),
          ],
        }),
      }),
    /** A page of tweets by their days, newest first, from the top of the list. */
    timeline: async (at: number, end: CrawlEnd | undefined, days: readonly number[], kind = 'timeline') =>
      await crawl(at, kind, end, tweetPage(restId, days, end)),
    read(): AccountCoverage {
      const db = openReadOnly(store.path);
      onTestFinished(() => void db.$client.close());
      return prepareAccountCoverage(db)(restId)!;
    },
    exec: (sql: string): unknown => readerOf(store).prepare(sql).pluck().get(),
  };
}

function tweetPage(restId: string, days: readonly number[], end: CrawlEnd | undefined): Partial<PageCommit> {
  const marks = days.map((n) => ({ id: `${restId === '1' ? 't' : `${restId}t`}${n}`, at: day(n) }));
  const [newest] = marks;
  const oldest = marks.at(-1);
  const bottom = end?.ending === 'served' || end?.ending === 'inferred' ? end.ending : undefined;
  const scan: ScanSegment = {
    isFromTop: true,
    newest: newest ?? null,
    oldest: marks.length > 1 ? oldest! : null,
    tail: marks.slice(-2),
    outlier: null,
    pages: 0,
    items: 0,
  };
  const span = newest && oldest && { newest, oldest, bottom, pages: 1, items: days.length };
  return {
    rows: rows({
      users: [user(restId, { detailLevel: 'reference' })],
      tweets: marks.map(({ id, at }) => tweet(id, { authorRestId: restId, createdAt: at })),
    }),
    progress: progressOf({ targetRestId: restId, items: days.length, checkpoint: { ...NEW_CHECKPOINT, scan } }),
    coverage: span && { spans: [span] },
  };
}

/** A page of a list of accounts. */
export const edges = (side: EdgeList['side'], members: readonly string[], owner = '1') => ({
  rows: rows({
    users: [owner, ...members].map((restId) => user(restId, { detailLevel: 'reference' })),
    follows: [{ side, owner, members }],
  }),
  progress: progressOf({ targetRestId: owner, items: members.length }),
});
