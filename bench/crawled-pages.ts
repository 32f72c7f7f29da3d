import type { PageCommit } from '#store/schema/commit-messages.ts';
import { load } from './built-trawl.ts';
import type { ListPage } from './workload.ts';

export type CreateCommit = (
  page: ListPage,
  crawl: { readonly id: number; readonly lease: number },
  at: number,
) => PageCommit;

/** Creates commits of pages with the build's own normaliser, without bodies. */
export async function createCommitFactory(dist: string): Promise<CreateCommit> {
  const { readPage } = await load(dist, 'service/contract/wire-page.js');
  const { normaliseFollowersPage } = await load(dist, 'store/normalise/parse-page.js');
  return ({ target, from, to, body }, { id, lease }, at) => {
    const { rows, itemIds } = normaliseFollowersPage(readPage('followers', body), target);
    return {
      crawlId: id,
      lease,
      requestCursor: from,
      at,
      rows,
      bodies: [],
      children: [],
      requests: [
        {
          endpoint: 'followers',
          at,
          status: 200,
          ms: 20,
          bytes: 45e3,
        },
      ],
      progress: {
        cursor: to,
        checkpoint: null,
        targetRestId: target,
        pages: 1,
        items: itemIds.length,
        rejectedItems: 0,
      },
      ...(to === null
        ? {
            end: {
              state: 'complete',
              ending: 'served',
            },
          }
        : {}),
    };
  };
}

/** A crawl of a list before its first page. */
export const followersSpecOf = (target: string) =>
  ({ kind: 'followers', target: `id:${target}`, options: '{}', priority: 'backfill' }) as const;
