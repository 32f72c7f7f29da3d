import { DAY } from '../clock.ts';
import { readPage } from '../contract/pages.ts';
import { BadRequestError, NotFoundError, QuotaExceededError, ServiceError, UnauthorizedError } from '../errors.ts';
import { createChildSpecs, parseCrawlOptions } from '../kinds/crawl-spec.ts';
import { type Kind, type KindName, kindTable } from '../kinds/kinds.ts';
import { parseAccount } from '../kinds/target.ts';
import { normalisers } from '../normalise/pages.ts';
import { PAGE_LIFE } from '../store/evidence/endpoint-capabilities.ts';
import { addToDigest } from '../store/journal/raw-bodies.ts';
import type { CrawlEnd, CrawlRow, CursorFact, PageCommit } from '../store/schema/messages.ts';
import { rejectedIn } from '../store/schema/rows.ts';
import {
  fetchProfile,
  checkOwner,
  confirmAccount,
  findHandleHolder,
  isBoundToId,
  isRenamed,
  describeRename,
  requestedHandle,
  resolveHandle,
  servedHandle,
  requestValueOf,
} from './account-resolution.ts';
import type { UnpackedCommit } from './commit-pipeline.ts';
import { type Draft, observation, observed } from './draft.ts';
import type { EngineDependencies } from './engine-dependencies.ts';
import { NEW_CHECKPOINT, parseCheckpoint, serialiseCheckpoint } from './pagination/crawl-checkpoint.ts';
import { isIssuedFor, toCursorRequest } from './pagination/cursor-origin.ts';
import { moveOn } from './pagination/decide.ts';
import { CAPABILITY_MAX_AGE, PROFILE_MAX_AGE } from './pagination/end-of-list.ts';
import { restartFromTop, isStaleCursor } from './pagination/stale-cursor.ts';
import { decideWindowEnd, readDateWindow } from './search/window-crawl.ts';

/**
 * One step of a crawl: one page, from asking for it to what is to be stored of it. Where the target is a handle that the
 * store does not know, the first step looks it up. Nothing waits here: without quota, or after an error, the step throws.
 *
 * @param crawl as it is after the page before, which may be on its way to the store still.
 * @throws PausedError or ServiceError; the draft then holds what was sent.
 */
export async function crawlPage(crawl: CrawlRow, draft: Draft, ports: EngineDependencies): Promise<UnpackedCommit> {
  const kind: Kind = kindTable[crawl.kind as KindName];
  const { read } = ports.store;
  const memory = parseCheckpoint(crawl.guard);
  const options = parseCrawlOptions(crawl);

  const isByHandle = kind.idForm === 'id' && requestedHandle(crawl) !== undefined && !isBoundToId(crawl);
  const subject = requestValueOf(crawl, kind, read);
  if (subject === undefined) {
    const { id, followed } = await resolveHandle(crawl, draft, read);
    return restartAs(id, followed);
  }

  if (isKnownLately()) return pageOf({}, { end: { state: 'complete', reason: 'seen_lately' } });

  const request = toCursorRequest(kind.endpoint, kind.parameter, subject);
  if (memory.passport && !isIssuedFor(memory.passport, request)) return restartAs(subject);

  // A list is read from the crawl's begin on, page after page: what was asked for before is no page of this reading.
  const readFrom = Math.max(crawl.startedAt ?? 0, memory.passport?.issuedAt ?? 0);
  let body: unknown;
  try {
    const cursor = crawl.cursor === null ? {} : { cursor: crawl.cursor };
    const parameters = { [kind.parameter]: subject, ...cursor };
    body =
      kind.idForm === 'handle'
        ? await fetchProfile(crawl, draft, read)
        : await draft.ask(kind.endpoint, parameters, readFrom);
  } catch (error) {
    if (crawl.cursor !== null) {
      if (await isRefusal(error)) return fromTheTop();
    } else if (error instanceof NotFoundError && kind.notFound === 'missing or empty') return await emptyOrMissing();
    if (options.verify && (await isRefusal(error)))
      return pageOf({ pages: 1 }, { end: { state: 'complete', reason: 'deleted', ending: 'served' } });
    // The account that had the handle is gone; somebody else may have it.
    if (error instanceof NotFoundError && crawl.cursor === null && isByHandle && !memory.verified) {
      const holder = await findHandleHolder(crawl, draft, read);
      if (holder !== undefined && holder !== subject) return restartAs(holder);
    }
    throw error;
  }
  const wire = readPage(kind.endpoint, body);
  const page = normalisers[kind.endpoint](wire, { target: subject });
  checkOwner(crawl, kind, subject, page);
  draft.page = observation(draft, page.rows);
  // A look-up that follows is another answer.
  const listDigest = kind.isCached ? digestOf(draft.hash()) : undefined;

  let { verified } = memory;
  if (!verified && isRenamed(crawl, page)) {
    const { restId: id, screenName } = page.owner!;
    const holder = isBoundToId(crawl)
      ? await findHandleHolder(crawl, draft, read).catch(unlessTrouble)
      : await findHandleHolder(crawl, draft, read);
    // The handle belongs to somebody else now, who was meant. The page is true all the same, and stored.
    if (isByHandle && holder !== undefined && holder !== subject) return restartAs(holder);
    warnMoved(id, screenName!, holder);
    verified = true;
  } else if (memory.followed && crawl.pages === 0 && isRenamed(crawl, page)) {
    warnMoved(page.owner!.restId, page.owner!.screenName!, undefined);
  }

  const counts = { pages: 1, items: page.itemIds.length, targetId: page.owner?.restId ?? crawl.targetId };
  const { at } = draft.page;
  if (isStaleCursor(crawl.cursor, memory, page, wire, at)) return fromTheTop(counts);

  const known = () => read.intervals(crawl.kind, counts.targetId ?? crawl.target);
  const rejected = crawl.rejected + rejectedIn(observed(draft));
  const cursorsWork = works(kind.endpoint);
  const next = moveOn({ crawl, memory, wire, page, at, request, known, rejected, cursorsWork, listDigest });
  const served = wire.items.length + wire.unexpectedEntries.length;
  // What is no item (an advertisement, say) or comes twice may make a page look full, and no other look short.
  const longest = kind.supportedOptions.includes('window') ? longestWith(new Set(page.itemIds).size) : undefined;
  return pageOf(
    { ...counts, cursor: next.cursor, guard: serialiseCheckpoint({ ...next.memory, verified }) },
    {
      covered: next.covered,
      end: next.end && { ...next.end, handle: servedHandle(crawl, page) },
      listDigest,
      learnt: learn(kind.endpoint, next.end),
      longest: longest?.isNews ? { endpoint: kind.endpoint, entries: longest.entries } : undefined,
      children: createChildSpecs(crawl, options, page.accounts),
      maxTargets: options.maxTargets,
      ...(next.end && readDateWindow(options) && closeWindow(next.end)),
    },
  );

  /** The digest of the list up to a page; undefined where an earlier version read its beginning. */
  function digestOf(body: string): string | undefined {
    if (crawl.cursor !== null && memory.listDigest === undefined) return undefined;
    return addToDigest(crawl.cursor === null ? undefined : memory.listDigest, body);
  }

  function closeWindow(end: CrawlEnd): Pick<PageCommit, 'end' | 'children' | 'searched'> {
    const isPaged = read.cursorFact(kind.endpoint)?.cursor === 'followed';
    return decideWindowEnd(end, { crawl, page, served, at, longest: longest?.entries ?? 0, isPaged, read });
  }

  /** The longest page of the endpoint lately, this one included. */
  function longestWith(entries: number): { entries: number; isNews: boolean } {
    const before = read.longestPage(kind.endpoint);
    const isNews = before === undefined || entries > before.entries || at - before.seenAt > PAGE_LIFE;
    return isNews
      ? { entries, isNews }
      : { entries: before.entries, isNews: entries === before.entries && at - before.seenAt > DAY };
  }

  function pageOf(
    checkpoint: Partial<PageCommit['checkpoint']>,
    more: Partial<
      Pick<PageCommit, 'covered' | 'searched' | 'end' | 'listDigest' | 'learnt' | 'longest' | 'maxTargets' | 'children'>
    > = {},
  ): UnpackedCommit {
    const { id: crawlId, lease, cursor, guard: text, targetId } = crawl;
    return {
      ...{ crawlId, lease, from: cursor, ...observed(draft), raw: draft.raw },
      checkpoint: { cursor, guard: text, targetId, pages: 0, items: 0, ...checkpoint },
      children: [],
      ...more,
    };
  }

  /** The service has forgotten the cursor. What is stored stays; what of it is complete is recognised by coverage. */
  function fromTheTop(counted: Partial<PageCommit['checkpoint']> = {}): UnpackedCommit {
    const { memory: again, end } = restartFromTop(crawl.cursor!, memory);
    const { id, target, pages } = crawl;
    ports.log.warn({ crawl: id, kind: crawl.kind, target, page: pages + 1, ...end }, 'the service refused its cursor');
    const covered = kind.isNewestFirst ? ({ spans: [], left: 'cursor_refused' } as const) : undefined;
    return pageOf({ ...counted, cursor: null, guard: serialiseCheckpoint(again) }, { covered, end });
  }

  /** 400 and 404 are about the cursor where there is one, unless they are the quota's. */
  async function isRefusal(error: unknown): Promise<boolean> {
    if (!(error instanceof NotFoundError || error instanceof BadRequestError)) return false;
    return (await ports.governor.explainAsQuotaError(error, draft.signal)) === undefined;
  }

  /** Invariant 9: an endpoint that was seen to ignore its cursor lately need not be given one again. */
  function works(endpoint: string): boolean {
    if (crawl.cursor !== null) return true;
    const fact = read.cursorFact(endpoint);
    return fact?.cursor !== 'ignored' || draft.at - fact.seenAt > CAPABILITY_MAX_AGE;
  }

  /** The second page shows whether the cursor led on. */
  function learn(endpoint: string, end: CrawlEnd | undefined): CursorFact | undefined {
    if (crawl.cursor === null || crawl.pages !== 1 || page.itemIds.length === 0) return undefined;
    return { endpoint, cursor: end?.reason === 'cursor_ignored' ? 'ignored' : 'followed' };
  }

  function warnMoved(id: string, shown: string, holder: string | undefined): void {
    const handle = crawl.handle ?? requestedHandle(crawl)!;
    const moved = { handle, id, shown, holder, by: isBoundToId(crawl) ? 'the job' : 'the crawl' } as const;
    ports.log.warn({ crawl: crawl.id, kind: crawl.kind, ...moved }, describeRename(moved));
  }

  /** Points the crawl at an account, from its first page. The account was looked up just now. */
  function restartAs(targetId: string, followed?: boolean): UnpackedCommit {
    const again = { ...NEW_CHECKPOINT, verified: true, ...(followed ? { followed } : {}) };
    return pageOf({ targetId, cursor: null, guard: serialiseCheckpoint(again) });
  }

  /** Invariant 9: a snowball that comes upon an account again need not see its profile again. Who names it himself gets it. */
  function isKnownLately(): boolean {
    if (kind.endpoint !== 'user-profile' || crawl.parentId === null || options.verify) return false;
    const account = parseAccount(crawl.target);
    const seen = 'id' in account ? read.userById(account.id)?.profileAt : undefined;
    return seen != null && draft.at - seen <= PROFILE_MAX_AGE && draft.at - seen >= 0;
  }

  /** 404 on a timeline: "does not exist or has no tweets". The profile tells which (spec, Errors), also one of today. */
  async function emptyOrMissing(): Promise<UnpackedCommit> {
    // A summary shows as well as a profile that there is such an account.
    const { profileAt, summaryAt } = read.userById(subject!) ?? {};
    const seen = Math.max(profileAt ?? 0, summaryAt ?? 0);
    // A list that had items a moment ago is not one without; and where it had any before, the account may be gone since.
    const isOld = () => draft.at - seen > DAY || read.intervals(crawl.kind, subject!).length > 0;
    if (memory.refused || memory.followed || (!memory.verified && isOld())) {
      const holder = await confirmAccount(crawl, draft, read);
      // The handle belongs to somebody else now, who was meant.
      if (holder !== subject) return restartAs(holder);
    }
    return pageOf({ pages: 1 }, { end: { state: 'complete', reason: 'no_tweets', ending: 'served' } });
  }
}

/** To know who has a handle now is worth a request, and not the crawl: without the quota or the key, nothing goes on. */
function unlessTrouble(error: unknown): undefined {
  const isOfItsOwn = error instanceof UnauthorizedError || error instanceof QuotaExceededError;
  if (!(error instanceof ServiceError) || isOfItsOwn) throw error;
}
