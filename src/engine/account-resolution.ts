import { readPage } from '../contract/pages.ts';
import { ContractError, NotFoundError, TransientError } from '../errors.ts';
import { ACCOUNT_KINDS } from '../kinds/crawl-spec.ts';
import { type Kind, type KindName, kindTable } from '../kinds/kinds.ts';
import { parseAccount } from '../kinds/target.ts';
import { type NormalisedPage, normaliseFollowersPage, normaliseProfilePage } from '../normalise/pages.ts';
import type { Reads } from '../store/reads.ts';
import type { CrawlRow } from '../store/schema/messages.ts';
import { foldHandle } from '../text.ts';
import { addRows, type Draft } from './draft.ts';
import { buildRawQuery } from './search/window-crawl.ts';

/**
 * Who a crawl is about. Handles get renamed and reused, ids do not: a handle is looked up once, remembered as an id,
 * and every page that shows its user under another handle is a reason to look again. A crawl of a handle is about whoever
 * has it, and while nobody has it, about the account that had it. A crawl of an id is about that, also where a job has a
 * handle for it.
 */

/** What to put into the request; undefined when the handle has to be looked up first. */
export function requestValueOf(crawl: CrawlRow, kind: Kind, read: Reads): string | undefined {
  if (kind.targetType === 'query') return buildRawQuery(crawl);
  if (kind.idForm !== 'id') return crawl.target;
  const account = parseAccount(crawl.target);
  if ('id' in account) return account.id;
  return crawl.targetId ?? read.userByHandle(account.handle)?.restId;
}

/**
 * The spellings in which to ask for the handle of a crawl: as the service spelled it last, as far as the store knows,
 * and as it was typed. A service may tell upper case from lower case, and an account may have changed the case since.
 */
function spellingsFor(crawl: CrawlRow, handle: string, read: Reads): string[] {
  const known = read.userByHandle(handle)?.screenName ?? read.earlierSpelling(handle);
  const typed = crawl.handle ?? handle;
  return known === undefined || known === typed ? [typed] : [known, typed];
}

/** The body of user-profile for a handle. @throws NotFoundError when the service knows none of the spellings. */
async function askByHandle([spelling = '', ...others]: readonly string[], draft: Draft): Promise<unknown> {
  try {
    const body = await draft.ask('user-profile', { screenName: spelling });
    draft.holders.set(foldHandle(spelling), profileOf(body, spelling).owner?.restId);
    return body;
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    draft.holders.set(foldHandle(spelling), undefined);
    if (others.length === 0) throw error;
    return await askByHandle(others, draft);
  }
}

/**
 * The body of user-profile for a crawl's account, however it is named. Where nobody has its handle, it is the account
 * that the handle meant before, as far as the store knows: it was renamed (DESIGN 4). @throws NotFoundError
 */
export async function fetchProfile(crawl: CrawlRow, draft: Draft, read: Reads): Promise<unknown> {
  const account = parseAccount(crawl.target);
  if ('id' in account) return await askById(account.id, draft, read);
  const spellings = spellingsFor(crawl, account.handle, read);
  try {
    return await askByHandle(spellings, draft);
  } catch (error) {
    const earlier = idAfter(error, crawl, read);
    return await askById(earlier, draft, read, spellings).catch((other: unknown) => {
      throw other instanceof NotFoundError ? error : other;
    });
  }
}

/**
 * The id of the account that a crawl of a handle is of. Where nobody has the handle, it is the one that had it: its pages
 * tell what it is called now, if it exists. @throws NotFoundError
 */
export async function resolveHandle(
  crawl: CrawlRow,
  draft: Draft,
  read: Reads,
): Promise<{ readonly id: string; readonly followed: boolean }> {
  const handle = requestedHandle(crawl)!;
  let body: unknown;
  try {
    body = await askByHandle(spellingsFor(crawl, handle, read), draft);
  } catch (error) {
    return { id: idAfter(error, crawl, read), followed: true };
  }
  return { id: keep(body, handle, draft), followed: false };
}

/** The account that a handle meant before nobody had it, as far as the store knows. @throws the error, where it is another. */
function idAfter(error: unknown, crawl: CrawlRow, read: Reads): string {
  const handle = requestedHandle(crawl)!;
  if (!(error instanceof NotFoundError)) throw error;
  const earlier =
    crawl.targetId ?? read.userByHandle(handle)?.restId ?? read.earlierHolder(crawl.target, handle, ACCOUNT_KINDS);
  if (earlier === undefined) throw error;
  return earlier;
}

/**
 * The same by an account's id. The remembered handle may be gone or another's: then its followers tell the present one.
 * @param tried spellings that nobody has.
 */
async function askById(id: string, draft: Draft, read: Reads, tried: readonly string[] = []): Promise<unknown> {
  const remembered = read.userById(id)?.screenName;
  if (remembered != null && !tried.includes(remembered)) {
    const body = await askByHandle([remembered], draft).catch(unlessNotFound);
    const page = body === undefined ? undefined : profileOf(body, remembered);
    if (page?.owner?.restId === id) return body;
    if (page) addRows(draft, page.rows);
  }
  const body = await draft.ask('followers', { restId: id }).catch(sayWhy);
  const page = normaliseFollowersPage(readPage('followers', body), { target: id });
  if (page.owner && page.owner.restId !== id) throw aboutAnother('followers', id, page.owner.restId);
  addRows(draft, page.rows);
  const handle = page.owner?.screenName;
  if (handle) return await askPresent(id, handle, draft);
  throw new ContractError(`followers: the answer does not say the handle of user ${id}`);
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
export async function confirmAccount(crawl: CrawlRow, draft: Draft, read: Reads): Promise<string> {
  return keep(await fetchProfile(crawl, draft, read), crawl.target, draft);
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
  if (kind.targetType !== 'account') return;
  const account = parseAccount(crawl.target);
  const wanted = kind.idForm === 'id' ? subject : 'id' in account ? account.id : undefined;
  if (wanted === undefined || page.owner === undefined || page.owner.restId === wanted) return;
  throw aboutAnother(kind.endpoint, wanted, page.owner.restId);
}

const aboutAnother = (endpoint: string, wanted: string, shown: string): ContractError =>
  new ContractError(`${endpoint}: asked for user ${wanted}, the answer is about user ${shown}`);

/** The handle that a crawl was asked for, in the form that is compared; undefined where it was asked for an id alone. */
export function requestedHandle({ kind, target, handle }: CrawlRow): string | undefined {
  if (kindTable[kind as KindName].targetType !== 'account') return undefined;
  const account = parseAccount(target);
  return 'handle' in account ? account.handle : handle === null ? undefined : foldHandle(handle);
}

/** Whether a crawl is of an id for which a job has a handle: it stays with the id, whoever has the handle. */
export const isBoundToId = ({ target, handle }: CrawlRow): boolean => handle !== null && 'id' in parseAccount(target);

/** How the service spells the handle that a crawl is of; undefined where the page does not show its user under it. */
export function servedHandle(crawl: CrawlRow, { owner }: NormalisedPage): string | undefined {
  const shown = owner?.screenName;
  return shown != null && foldHandle(shown) === requestedHandle(crawl) ? shown : undefined;
}

/** Whether the page shows the crawl's user under another handle than the one that the crawl was asked for. */
export function isRenamed(crawl: CrawlRow, { owner }: NormalisedPage): boolean {
  const named = requestedHandle(crawl);
  return named !== undefined && owner?.screenName != null && foldHandle(owner.screenName) !== named;
}

/**
 * The account that has the handle which a crawl was asked for, or undefined when nobody has it. What the step was told of
 * it already is not asked again.
 */
export async function findHandleHolder(crawl: CrawlRow, draft: Draft, read: Reads): Promise<string | undefined> {
  const named = requestedHandle(crawl)!;
  if (draft.holders.has(named)) return draft.holders.get(named);
  const body = await askByHandle(spellingsFor(crawl, named, read), draft).catch(unlessNotFound);
  return body === undefined ? undefined : keep(body, named, draft);
}

/** What became of a handle, for people. */
export interface AccountRename {
  readonly handle: string;
  /** The account that is followed, and the handle that it has now. */
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
