import { readPage } from '../contract/pages.ts';
import { ContractError, NotFoundError, TransientError } from '../errors.ts';
import { type NormalisedPage, normaliseFollowersPage, normaliseProfilePage } from '../normalise/pages.ts';
import type { CrawlRow } from '../store/messages.ts';
import type { Reads } from '../store/reads.ts';
import { foldHandle } from '../text.ts';
import { addRows, type Draft } from './draft.ts';
import type { Kind } from './kinds.ts';
import { accountOf } from './target.ts';
import { rawQueryOf } from './window-crawl.ts';

/**
 * Who a crawl is about. Handles get renamed and reused, ids do not: a handle is looked up once, remembered as an id,
 * and every page that shows its user under another handle is a reason to look again.
 */

/** What to put into the request; undefined when the handle has to be looked up first. */
export function subjectOf(crawl: CrawlRow, kind: Kind, read: Reads): string | undefined {
  if (kind.target === 'query') return rawQueryOf(crawl);
  if (kind.asks !== 'id') return crawl.target;
  const account = accountOf(crawl.target);
  if ('id' in account) return account.id;
  return crawl.targetId ?? read.userByHandle(account.handle)?.restId;
}

/**
 * The spellings in which to ask for the handle of a crawl: as the service spelled it last, as far as the store knows,
 * and as it was typed. A service may tell upper case from lower case, and an account may have changed the case since.
 */
function spellingsFor(crawl: CrawlRow, handle: string, read: Reads): string[] {
  const known = read.userByHandle(handle)?.screenName ?? undefined;
  const typed = crawl.handle ?? handle;
  return known === undefined || known === typed ? [typed] : [known, typed];
}

/** The body of user-profile for a handle. @throws NotFoundError when the service knows none of the spellings. */
async function askByHandle([spelling, ...others]: readonly string[], draft: Draft): Promise<unknown> {
  const asked = draft.ask('user-profile', { screenName: spelling! });
  if (others.length === 0) return await asked;
  return (await asked.catch(unlessNotFound)) ?? (await askByHandle(others, draft));
}

/**
 * The body of user-profile, which asks by handle, also for an account that is named by its id. The remembered handle may
 * be gone or somebody else's by now: then the account's followers tell the present one.
 */
export async function askProfile(crawl: CrawlRow, draft: Draft, read: Reads): Promise<unknown> {
  const account = accountOf(crawl.target);
  if ('handle' in account) return await askByHandle(spellingsFor(crawl, account.handle, read), draft);
  const remembered = read.userById(account.id)?.screenName;
  if (remembered != null) {
    const body = await draft.ask('user-profile', { screenName: remembered }).catch(unlessNotFound);
    const page = body === undefined ? undefined : profileOf(body, remembered);
    if (page?.owner?.restId === account.id) return body;
    if (page) addRows(draft, page.rows);
  }
  const body = await draft.ask('followers', { restId: account.id }).catch(sayWhy);
  const page = normaliseFollowersPage(readPage('followers', body), { target: account.id });
  if (page.owner && page.owner.restId !== account.id) throw aboutAnother('followers', account.id, page.owner.restId);
  addRows(draft, page.rows);
  const handle = page.owner?.screenName;
  if (handle) return await askPresent(account.id, handle, draft);
  throw new ContractError(`followers: the answer does not say the handle of user ${account.id}`);
}

/** The profile of a user who had the handle a moment ago, as served. @throws TransientError when it just went to another. */
async function askPresent(id: string, handle: string, draft: Draft): Promise<unknown> {
  const body = await draft.ask('user-profile', { screenName: handle });
  const page = profileOf(body, handle);
  if (page.owner === undefined || page.owner.restId === id) return body;
  addRows(draft, page.rows);
  throw new TransientError(`user-profile: the handle of user ${id} has just gone to user ${page.owner.restId}`);
}

/** It was not followers that somebody asked for. */
function sayWhy(error: unknown): never {
  if (!(error instanceof NotFoundError)) throw error;
  const { message, status, body, sent, ms, hint } = error;
  const why = `of an id, followers is asked for the handle: ${message}`;
  throw new NotFoundError(why, { status, body, sent, ms, hint, cause: error });
}

function unlessNotFound(error: unknown): undefined {
  if (!(error instanceof NotFoundError)) throw error;
}

const profileOf = (body: unknown, handle: string): NormalisedPage =>
  normaliseProfilePage(readPage('user-profile', body), { target: handle });

/**
 * Asks for the profile of a crawl's account, however it is named, adds it to the draft (it is worth having in any case)
 * and returns its id. @throws NotFoundError when it does not exist.
 */
export async function confirm(crawl: CrawlRow, draft: Draft, read: Reads): Promise<string> {
  return keep(await askProfile(crawl, draft, read), crawl.target, draft);
}

function keep(body: unknown, account: string, draft: Draft): string {
  const page = profileOf(body, account);
  addRows(draft, page.rows);
  if (page.owner) return page.owner.restId;
  const [reject] = page.rows.rejects;
  const why = reject ? `cannot be stored: ${reject.path} ${reject.reason}` : 'has no usable id';
  throw new ContractError(`user-profile: the profile of ${account} ${why}`);
}

/** An answer about somebody else must never be stored as this account's. @throws ContractError */
export function checkOwner(crawl: CrawlRow, kind: Kind, subject: string, page: NormalisedPage): void {
  if (kind.target !== 'account') return;
  const account = accountOf(crawl.target);
  const wanted = kind.asks === 'id' ? subject : 'id' in account ? account.id : undefined;
  if (wanted === undefined || page.owner === undefined || page.owner.restId === wanted) return;
  throw aboutAnother(kind.endpoint, wanted, page.owner.restId);
}

const aboutAnother = (endpoint: string, wanted: string, shown: string): ContractError =>
  new ContractError(`${endpoint}: asked for user ${wanted}, the answer is about user ${shown}`);

/** How the service spells the handle that a crawl is of; undefined where the page does not show its user under it. */
export function shownHandle({ target }: CrawlRow, kind: Kind, { owner }: NormalisedPage): string | undefined {
  const shown = owner?.screenName;
  if (kind.target !== 'account' || shown == null) return undefined;
  const account = accountOf(target);
  return 'handle' in account && foldHandle(shown) === account.handle ? shown : undefined;
}

/** Whether the page shows the crawl's user under another handle than the one that the crawl was asked for. */
export function isLost(crawl: CrawlRow, kind: Kind, page: NormalisedPage): boolean {
  const account = accountOf(crawl.target);
  const shown = page.owner?.screenName;
  if (kind.asks !== 'id' || !('handle' in account) || shown == null) return false;
  return foldHandle(shown) !== account.handle;
}
