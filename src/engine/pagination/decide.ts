import { endpointTable } from '../../contract/endpoints.ts';
import { readNextCursor, type WirePage } from '../../contract/pages.ts';
import { parseCrawlOptions } from '../../kinds/crawl-spec.ts';
import { type Kind, type KindName, kindTable } from '../../kinds/kinds.ts';
import type { NormalisedPage } from '../../normalise/pages.ts';
import type { KnownInterval } from '../../store/coverage/intervals.ts';
import { isDone } from '../../store/evidence/end-states.ts';
import type { Covered, CrawlEnd, CrawlRow } from '../../store/schema/messages.ts';
import { restartCheckpoint, type CrawlCheckpoint } from './crawl-checkpoint.ts';
import { type CursorRequest, createCursorOrigin } from './cursor-origin.ts';
import { digestText, toCrawlEnd, decideEnd } from './end-of-list.ts';
import { type CoveredIntervalMatch, type CoveredEnd, findCoveredInterval } from './incremental.ts';
import {
  isPastTime,
  startScan,
  findRereadRange,
  listCoveredSpans,
  markReported,
  type ScanResult,
  scanPage,
} from './ordered-scan.ts';

const FIRST_IDS = 4;

/** A page in hand, and the crawl that it is of. */
export interface InHand {
  readonly crawl: CrawlRow;
  readonly memory: CrawlCheckpoint;
  readonly wire: WirePage;
  readonly page: NormalisedPage;
  readonly request: CursorRequest;
  /** When it was asked for. */
  readonly at: number;
  /** The digest of the list up to this page, of kinds that need one. */
  readonly listDigest: string | undefined;
  /** Items that were set aside in this crawl so far. */
  readonly rejected: number;
  /** What is known complete of the list. */
  readonly known: () => readonly KnownInterval[];
  readonly cursorsWork: boolean;
}

/** Where a crawl stands after a page, and what the page adds to what is known complete. */
export interface Onward {
  readonly cursor: string | null;
  readonly memory: Omit<CrawlCheckpoint, 'verified'>;
  readonly covered: Covered | undefined;
  readonly end: CrawlEnd | undefined;
}

/** Judges a page (invariant 4), walks it (invariant 5), and decides where the crawl goes from here: on, elsewhere, or no further. */
export function moveOn(inHand: InHand): Onward {
  const { crawl, memory, wire, page, at, request, known, rejected, cursorsWork, listDigest } = inHand;
  const kind: Kind = kindTable[crawl.kind as KindName];
  const options = parseCrawlOptions(crawl);
  const { itemIds, positions } = page;
  const { since } = options;
  const before = memory.walk ?? startScan(crawl.cursor);
  const walked: ScanResult = kind.isNewestFirst ? scanPage(before, positions, at) : { scan: 'lost', closed: [] };

  const nextCursor = readNextCursor(wire.cursor);
  const isList = wire.items.length > 0 || wire.unexpectedEntries.length > 0 || wire.cursor.is !== 'end';
  const pages = crawl.pages + 1;
  const judged = decideEnd(
    {
      kind: crawl.kind,
      isPaged: endpointTable[kind.endpoint].cursor !== 'none' || isObject(),
      cursorsWork,
      sentCursor: crawl.cursor,
      cursor: wire.cursor,
      servedCount: isList ? wire.items.length + wire.unexpectedEntries.length : itemIds.length,
      itemIds,
      isPastSince: since !== undefined && isPastTime(since, walked.scan, positions),
      pages,
      rejectedCount: rejected,
    },
    memory.guard,
    options,
  );

  // A snowball is for the accounts on the pages, not for what is new on them.
  const joined = options.full || options.andThen ? undefined : join();
  const jump = joined?.next === 'jump' && judged.end === undefined && !wasHere(joined.cursor) ? joined : undefined;
  const into = joined?.next === 'end' ? joined : jump;
  const lacks = memory.lacks || (into && !into.isWhole) || undefined;
  const ended = joined?.next === 'end' ? joinedEnd(joined) : judged.end;
  // Invariant 5: however the list ends, what was leapt over is missing still.
  const end: CrawlEnd | undefined =
    lacks && ended && isDone(ended) ? { ...ended, state: 'partial', reason: 'rejected_items' } : ended;
  // Nothing leads on from here: whoever resumes it begins at the first page.
  const isStuck = end?.reason === 'cursor_unreadable';
  return {
    cursor: jump ? jump.cursor : nextCursor,
    memory: isStuck
      ? restartCheckpoint(memory)
      : {
          guard: judged.detector,
          walk: kind.isNewestFirst ? markReported(jump?.walk ?? walked.scan) : undefined,
          passport:
            jump?.passport ??
            (nextCursor === null ? null : createCursorOrigin(request, { at, page: pages, ids: itemIds })),
          firstIds: crawl.cursor === null ? itemIds.slice(0, FIRST_IDS) : memory.firstIds,
          jumped: jump && true,
          tookOver: jump?.into ?? memory.tookOver,
          listDigest,
          lacks,
          refused: memory.refused,
          forgiven: memory.forgiven,
        },
    covered: kind.isNewestFirst ? covered() : undefined,
    end,
  };

  /**
   * The crawl is in that gap already, or comes to it next, perhaps beside the one that left it: it walks on, asks for no
   * page again, and need not suspect a cursor of its own of being an old one.
   */
  function wasHere(cursor: string): boolean {
    return cursor === nextCursor || cursor === crawl.cursor || memory.guard.recent.includes(digestText(cursor));
  }

  function join(): CoveredIntervalMatch | undefined {
    // What ends for a reason of its own does not look further; a limit is met after what is known, not before.
    // A cursor that cannot be read does not matter where what it leads to is known.
    if (judged.end !== undefined && !['max_pages', 'cursor_unreadable'].includes(judged.end.reason ?? ''))
      return undefined;
    return findCoveredInterval(walked.scan, { intervals: known, since, request, now: at });
  }

  /** What is inferred stays so for whoever joins it. */
  function joinedEnd({ isInferred }: CoveredEnd): CrawlEnd {
    return toCrawlEnd(crawl.kind, isInferred ? 'joined_inferred' : 'joined', rejected);
  }

  /** The answer is one object: a profile, or a tweet that shows no replies and counts none. */
  function isObject(): boolean {
    if (endpointTable[kind.endpoint].layout === undefined) return true;
    if (crawl.kind !== 'tweet' || isList) return false;
    return page.rows.tweets.find(({ restId }) => restId === crawl.target)?.replyCount === 0;
  }

  function covered(): Covered | undefined {
    const { ending } = end ?? {};
    const left = walked.scan === 'lost' && before !== 'lost' ? 'out_of_order' : undefined;
    // Of a page whose cursor cannot be read nothing is claimed, not even between its items.
    if (isStuck) return left && { spans: [], left };
    const spans = listCoveredSpans(walked, ending === 'served' || ending === 'inferred' ? ending : undefined);
    if (spans.length === 0 && left === undefined) return undefined;
    return { spans, reread: findRereadRange(before, walked, positions, memory.tookOver), into: jump?.into, left };
  }
}
