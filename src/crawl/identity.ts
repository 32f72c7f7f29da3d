import { readPage } from '../contract/pages.ts';
import { ContractError, TrawlError } from '../errors.ts';
import { type NormalisedPage, normaliseProfilePage } from '../normalise/pages.ts';
import type { CrawlRow } from '../store/messages.ts';
import type { Reads } from '../store/reads.ts';
import { addRows, type Draft } from './draft.ts';
import type { Kind } from './kinds.ts';
import { accountOf } from './target.ts';

/**
 * Who a crawl is about. Handles get renamed and reused, ids do not: a handle is looked up once, remembered as an id,
 * and every page that shows its user under another handle is a reason to look again.
 */

/** What to put into the request; undefined when the handle has to be looked up first. */
export function subjectOf(crawl: CrawlRow, kind: Kind, read: Reads): string | undefined {
  if (kind.asks === 'text') return crawl.target;
  if (kind.asks === 'id') {
    const account = accountOf(crawl.target);
    if ('id' in account) return account.id;
    return crawl.targetId ?? read.userByHandle(account.handle)?.restId;
  }
  const handle = handleOf(crawl, read);
  if (handle !== undefined) return handle;
  throw new TrawlError(`${crawl.kind} asks by handle, and none is known for ${crawl.target}`, {
    hint: 'Name the account by its handle, or crawl its followers first: their answer tells it.',
  });
}

/** The handle of a crawl's account: as it was named, or as the store remembers it for an id. */
export function handleOf(crawl: CrawlRow, read: Reads): string | undefined {
  const account = accountOf(crawl.target);
  return 'handle' in account ? account.handle : (read.userById(account.id)?.screenName ?? undefined);
}

/** Asks for the profile under a handle, adds it to the draft (it is worth having in any case) and returns its id. */
export async function lookUp(handle: string, draft: Draft): Promise<string> {
  const body = await draft.ask('user-profile', { screenName: handle });
  const page = normaliseProfilePage(readPage('user-profile', body), { target: handle });
  addRows(draft, page.rows);
  if (page.owner) return page.owner.restId;
  throw new ContractError(`user-profile: the profile of ${handle} has no usable id`);
}

/** An answer about somebody else must never be stored as this account's. @throws ContractError */
export function checkOwner(kind: Kind, subject: string, page: NormalisedPage): void {
  if (kind.asks !== 'id' || page.owner === undefined || page.owner.restId === subject) return;
  throw new ContractError(`${kind.endpoint}: asked for user ${subject}, the answer is about user ${page.owner.restId}`);
}

/** The handle that a crawl was asked for, when the page shows its user under another one. */
export function lostHandle(crawl: CrawlRow, kind: Kind, page: NormalisedPage): string | undefined {
  const account = accountOf(crawl.target);
  const shown = page.owner?.screenName;
  if (kind.asks !== 'id' || !('handle' in account) || shown == null) return undefined;
  return shown.toLowerCase() === account.handle ? undefined : account.handle;
}
