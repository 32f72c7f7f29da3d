import {
  describePreviousHolders,
  describeRenamedHandle,
  readHolders,
  resolveHolder,
} from '#analysis/handle-holders.ts';
import { getKind } from '#service/kinds/kinds.ts';
import { parseAccount } from '#service/kinds/target.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { Db } from '#store/sqlite/database.ts';

/** A handle of a crawl that no longer belongs to its account. */
export interface RenamedHandle {
  /** The account by its id, as a target. */
  readonly target: string;
  readonly description: string;
}

/** Describes the handle of a crawl if it was renamed, or if other accounts had it before. */
export function describeHandle(db: Db, crawl: CrawlRow): string | undefined {
  const found = readCrawlHandle(db, crawl);
  if (!found || found.renamed) return found?.renamed?.description;
  return found.previous.length === 0 ? undefined : describePreviousHolders(found.handle, found.previous);
}

/** Returns undefined if the handle of a crawl still belongs to its account, as far as the store knows. */
export const findRenamedHandle = (db: Db, crawl: CrawlRow): RenamedHandle | undefined =>
  readCrawlHandle(db, crawl)?.renamed;

/** The handle that names a crawl's account; undefined if an id names it, or it has no account. */
function readCrawlHandle(db: Db, crawl: CrawlRow) {
  if (getKind(crawl.kind).targetType !== 'account') return undefined;
  const account = parseAccount(crawl.target);
  if ('id' in account) return undefined;
  const { handle } = account;
  const holders = readHolders(db, handle);
  const { current, previous } = holders;
  const all = [...(current ? [current] : []), ...previous];
  const own =
    crawl.targetRestId === null ? resolveHolder(holders) : all.find(({ restId }) => restId === crawl.targetRestId);
  if (!own || own === current) return { handle, previous, renamed: undefined };
  const description = describeRenamedHandle(handle, own, current);
  return { handle, previous, renamed: { target: `id:${own.restId}`, description } };
}
