import { ContractError } from '#base/errors.ts';
import { foldHandle } from '#base/text.ts';
import { getKind } from '#service/kinds/kinds.ts';
import { parseAccount } from '#service/kinds/target.ts';
import type { NormalisedPage } from '#store/normalise/parse-page.ts';
import type { StoredCrawl } from '#store/schema/query-results.ts';

/**
 * Handles are renamed and reused, ids are not. A crawl of a handle is about whoever has it, and while nobody has it, about
 * the account that had it. A crawl of an id is about that account, also where a job or a panel has
 * its handle.
 */

type Owner = NormalisedPage['owner'];

/** The handle that a crawl was requested for, folded for comparison; undefined where it was requested by id alone. */
export function requestedHandle({ kind, target, handle }: StoredCrawl): string | undefined {
  if (getKind(kind).targetType !== 'account') return undefined;
  const account = parseAccount(target);
  return 'handle' in account ? account.handle : handle === null ? undefined : foldHandle(handle);
}

/** Whether a crawl is of an id that a job names by a handle: it stays with the id, whoever has the handle. */
export const isBoundToId = ({ target, handle }: StoredCrawl): boolean =>
  handle !== null && 'id' in parseAccount(target);

/** Whether the requests of a crawl name an id, and the crawl is about whoever has a handle. */
export const isResolvedByHandle = (crawl: StoredCrawl): boolean =>
  getKind(crawl.kind).idForm === 'id' && requestedHandle(crawl) !== undefined && !isBoundToId(crawl);

/** The spelling of the crawl's handle on a page; undefined where the page shows its user under another handle. */
export function servedHandle(crawl: StoredCrawl, owner: Owner): string | undefined {
  const shown = owner?.screenName;
  return shown != null && foldHandle(shown) === requestedHandle(crawl) ? shown : undefined;
}

/** Whether the page shows the crawl's user under another handle than the requested one. */
export function isRenamed(crawl: StoredCrawl, owner: Owner): boolean {
  const named = requestedHandle(crawl);
  return named !== undefined && owner?.screenName != null && foldHandle(owner.screenName) !== named;
}

/** Rejects a response about another account: its rows must not be stored as this one's. @throws ContractError */
export function checkOwner(crawl: StoredCrawl, requestValue: string, owner: Owner): void {
  const kind = getKind(crawl.kind);
  if (kind.targetType !== 'account') return;
  const account = parseAccount(crawl.target);
  const wanted = kind.idForm === 'id' ? requestValue : 'id' in account ? account.id : undefined;
  if (wanted === undefined || owner === undefined || owner.restId === wanted) return;
  throw wrongOwnerError(kind.endpoint, wanted, owner.restId);
}

export const wrongOwnerError = (endpoint: string, wanted: string, shown: string): ContractError =>
  new ContractError(`${endpoint}: asked for user ${wanted}, the answer is about user ${shown}`);

/** A renamed account, for messages. */
export interface AccountRename {
  readonly handle: string;
  /** The account that the crawl follows, and its present handle. */
  readonly id: string;
  readonly shown: string;
  /** The account that has the handle now. */
  readonly holder: string | undefined;
  /** Who follows the account. */
  readonly by: 'the job' | 'the crawl';
}

/** `anna is now called annab; following the account id 1`, and so on. */
export function describeRename({ handle, id, shown, holder, by }: AccountRename): string {
  if (holder === undefined || holder === id) return `${handle} is now called ${shown}; following the account id ${id}`;
  return `@${handle} now belongs to another account, id ${holder}; ${by} keeps following id ${id}, now @${shown}`;
}
