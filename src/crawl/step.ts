import { DAY } from '../clock.ts';
import { endpointTable } from '../contract/endpoints.ts';
import { readPage } from '../contract/pages.ts';
import { NotFoundError } from '../errors.ts';
import { normalisers } from '../normalise/pages.ts';
import type { CrawlEnd, CrawlRow, CursorFact, PageCommit } from '../store/messages.ts';
import { rejectedIn } from '../store/rows.ts';
import { NEW_MEMORY, readMemory, writeMemory } from './checkpoint.ts';
import { coveredSpan } from './covered.ts';
import { type Draft, observed } from './draft.ts';
import { judge } from './ending.ts';
import { askProfile, checkOwner, confirm, handleOf, lookUp, lostHandle, subjectOf } from './identity.ts';
import { type Kind, type KindName, kindTable } from './kinds.ts';
import type { CrawlPorts } from './ports.ts';
import { childrenOf, optionsOf } from './spec.ts';
import type { Page } from './trail.ts';

/** For how long a fact about an endpoint is believed: services get mended. */
const FACT_LIFE = 7 * DAY;

/**
 * One step of a crawl: one page, from asking for it to what is to be stored of it. Where the target is a handle that the
 * store does not know, the first step looks it up. Nothing waits here: without quota, or after an error, the step throws.
 *
 * @param crawl as it is after the page before, which may be on its way to the store still.
 * @throws PausedError or ServiceError; the draft then holds what was sent.
 */
export async function step(crawl: CrawlRow, draft: Draft, ports: CrawlPorts): Promise<Page> {
  const kind: Kind = kindTable[crawl.kind as KindName];
  const { read } = ports.store;
  const memory = readMemory(crawl.guard);
  const options = optionsOf(crawl);

  const subject = subjectOf(crawl, kind, read);
  if (subject === undefined) return restartAs(await lookUp(handleOf(crawl, read)!, draft));

  let body: unknown;
  try {
    const cursor = crawl.cursor === null ? {} : { cursor: crawl.cursor };
    const parameters = { [kind.parameter]: subject, ...cursor };
    body = kind.asks === 'handle' ? await askProfile(crawl, draft, read) : await draft.ask(kind.endpoint, parameters);
  } catch (error) {
    // In the middle of a list it can only mean that the account has gone.
    const isAmbiguous = kind.notFound === 'missing or empty' && crawl.cursor === null;
    if (error instanceof NotFoundError && isAmbiguous) return await emptyOrMissing();
    throw error;
  }
  const wire = readPage(kind.endpoint, body);
  const page = normalisers[kind.endpoint](wire, { target: subject });
  checkOwner(crawl, kind, subject, page);
  draft.page = { at: draft.at, rows: page.rows };

  let { verified } = memory;
  const lost = verified ? undefined : lostHandle(crawl, kind, page);
  if (lost !== undefined) {
    const holder = await holderOf(lost);
    // The handle belongs to somebody else now, who was meant. The page is true all the same, and stored.
    if (holder !== undefined && holder !== subject) return restartAs(holder);
    verified = true;
  }

  const isList = wire.items.length > 0 || wire.strays.length > 0 || wire.nextCursor !== null;
  const { guard, end } = judge(
    {
      isPaged: endpointTable[kind.endpoint].cursor !== 'none' || !isList,
      cursorsWork: crawl.cursor !== null || works(kind.endpoint),
      sentCursor: crawl.cursor,
      nextCursor: wire.nextCursor,
      served: isList ? wire.items.length + wire.strays.length : page.itemIds.length,
      itemIds: page.itemIds,
      itemTimes: page.itemTimes,
      pages: crawl.pages + 1,
      rejected: crawl.rejected + rejectedIn(observed(draft)),
    },
    memory.guard,
    options,
  );
  const inOrder = kind.newestFirst && memory.coveredTo !== undefined && page.rows.rejects.length === 0;
  const covered = inOrder ? coveredSpan(page, memory.coveredTo ?? null) : undefined;
  const coveredTo = covered?.oldestAt ?? (page.itemIds.length === 0 ? memory.coveredTo : undefined);
  return pageOf(
    {
      targetId: page.owner?.restId ?? crawl.targetId,
      cursor: wire.nextCursor,
      guard: writeMemory({ guard, verified, coveredTo }),
      pages: 1,
      items: page.itemIds.length,
    },
    {
      covered,
      end,
      learnt: learn(kind.endpoint, end),
      children: childrenOf(crawl, options, page.accounts),
      maxTargets: options.maxTargets,
    },
  );

  function pageOf(
    checkpoint: Partial<PageCommit['checkpoint']>,
    more: Pick<PageCommit, 'covered' | 'end' | 'learnt' | 'maxTargets'> & { children?: PageCommit['children'] } = {},
  ): Page {
    const { id: crawlId, lease, cursor, guard: text, targetId } = crawl;
    return {
      ...{ crawlId, lease, from: cursor, ...observed(draft), raw: draft.raw },
      checkpoint: { cursor, guard: text, targetId, pages: 0, items: 0, ...checkpoint },
      children: [],
      ...more,
    };
  }

  /** Law 9: an endpoint that was seen to ignore its cursor lately need not be given one again. */
  function works(endpoint: string): boolean {
    const fact = read.cursorFact(endpoint);
    return fact?.cursor !== 'ignored' || draft.at - fact.seenAt > FACT_LIFE;
  }

  /** The second page shows whether the cursor led on. */
  function learn(endpoint: string, end: CrawlEnd | undefined): CursorFact | undefined {
    if (crawl.cursor === null || crawl.pages !== 1 || page.itemIds.length === 0) return undefined;
    return { endpoint, cursor: end?.reason === 'cursor_ignored' ? 'ignored' : 'followed' };
  }

  /** Points the crawl at an account, from its first page. The account was looked up just now. */
  function restartAs(targetId: string): Page {
    return pageOf({ targetId, cursor: null, guard: writeMemory({ ...NEW_MEMORY, verified: true }) });
  }

  /** Who holds a handle now; undefined when nobody does: then the account was renamed, and is still the one meant. */
  async function holderOf(handle: string): Promise<string | undefined> {
    try {
      return await lookUp(handle, draft);
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  /** 404 on a timeline: "does not exist or has no tweets". The profile tells which (DESIGN §5), also one of today. */
  async function emptyOrMissing(): Promise<Page> {
    const seen = read.userById(subject!)?.profileAt ?? 0;
    if (!memory.verified && draft.at - seen > DAY) {
      const holder = await confirm(crawl, draft, read);
      // The handle belongs to somebody else now, who was meant.
      if (holder !== subject) return restartAs(holder);
    }
    return pageOf({ pages: 1 }, { end: { state: 'complete', reason: 'no_tweets', ending: 'served' } });
  }
}
