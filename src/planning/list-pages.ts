import { DAY } from '../clock.ts';
import { endpointTable } from '../contract/endpoints.ts';
import { toCursorRequest } from '../engine/pagination/cursor-origin.ts';
import { CAPABILITY_MAX_AGE } from '../engine/pagination/end-of-list.ts';
import { hasCursorBelow } from '../engine/pagination/incremental.ts';
import { optionsOf } from '../kinds/crawl-spec.ts';
import type { PlanFacts } from '../store/plan-facts.ts';
import type { Guess } from '../store/schema/messages.ts';
import { each, exactly, ONE, plus, upTo } from './estimate.ts';
import { itemsOf, itemsSince, type Miss, type Subject } from './list-items.ts';

/** How often the usual pace of new items may have been exceeded since somebody looked. */
const BURST = 4;

/** The requests that the pages of a list take, limits and what is known of it counted in. */
export function pagesOf(subject: Subject, facts: PlanFacts, now: number, miss: Miss): Guess {
  const { spec, kind } = subject;
  const options = optionsOf(spec);
  const going = facts.unfinished(spec);
  const limit = options.maxPages === undefined ? undefined : Math.max(1, options.maxPages - (going?.pages ?? 0));
  if (endpointTable[kind.endpoint].layout === undefined) return ONE;
  const { paged, size } = pagingOf(subject, facts, now);
  if (paged === 'no') return ONE;
  if (paged === 'unknown') {
    miss('isPaged');
    return upTo({ least: 1, likely: 1, most: null }, limit);
  }
  if (size === undefined && limit !== 1) miss('pageSize');
  const pages = (items: Guess): Guess => inPages(items, size);

  const whole = itemsOf(subject, facts, miss);
  const joins = kind.newestFirst && !options.full && !options.andThen;
  const known = joins && subject.account ? facts.intervals(spec.kind, subject.account.restId) : [];
  const listed = joins && kind.target !== 'account' ? facts.intervals(spec.kind, spec.target) : known;
  const { since } = options;

  if (going && going.cursor !== null) {
    const left = each(whole, (n) => Math.max(0, n - going.items));
    return upTo(pages(left), limit);
  }
  const [top] = listed;
  if (!top) {
    const wanted =
      since === undefined || !kind.newestFirst ? whole : itemsSince(whole, since, subject.account?.createdAt, now);
    return upTo(orConfirm(pages(wanted), whole, subject, now), limit);
  }

  // The first page joins what is known, unless more is new than a page holds.
  const pace = top.items / Math.max(1, top.newestAt - top.oldestAt);
  const fresh = pace * Math.max(0, now - (subject.walks?.at ?? now));
  const above = size === undefined ? 0 : fresh / size;
  const onTop: Guess = { least: 1, likely: 1 + Math.floor(above), most: 1 + Math.floor(BURST * above) };
  if (top.bottom !== null || (since !== undefined && top.oldestAt < since)) return upTo(onTop, limit);

  const items = listed.reduce((sum, each) => sum + each.items, 0);
  const below = each(whole, (n) => Math.max(0, n - items));
  const wanted = since === undefined ? below : itemsSince(below, since, subject.account?.createdAt, top.oldestAt);
  const request = toCursorRequest(kind.endpoint, kind.parameter, subject.account?.restId ?? spec.target);
  const through = hasCursorBelow(top, request, now) ? 0 : Math.max(0, Math.ceil(top.items / (size ?? top.items)) - 1);
  return upTo(plus(plus(onTop, exactly(through)), pages(wanted)), limit);
}

/** Whether an endpoint has more than one page, and how much is on one: as the specification says, or as it was seen. */
function pagingOf({ spec, kind }: Subject, facts: PlanFacts, now: number) {
  const { endpoint } = kind;
  const seen = facts.kind(spec.kind);
  const fact = facts.cursorFact(endpoint);
  const size = seen && seen.fullPages > 0 && seen.fullItems > 0 ? seen.fullItems / seen.fullPages : undefined;
  if (fact?.cursor === 'ignored' && now - fact.seenAt <= CAPABILITY_MAX_AGE) return { paged: 'no', size } as const;
  if (endpointTable[endpoint].cursor !== 'none' || (seen?.ledOn ?? 0) > 0) return { paged: 'yes', size } as const;
  return { paged: (seen?.ended ?? 0) > 0 ? 'no' : 'unknown', size } as const;
}

/** An empty list has a page, too. */
function inPages({ least, likely, most }: Guess, size: number | undefined): Guess {
  const pages = (n: number): number => Math.max(1, Math.ceil(n / (size ?? 1) - 1e-9));
  if (size !== undefined)
    return {
      least: pages(least),
      likely: likely === null ? null : pages(likely),
      most: most === null ? null : pages(most),
    };
  if (most !== null && most <= 1) return ONE;
  // Every page but the last has an item, whatever its size.
  return { least: 1, likely: likely !== null && likely <= 1 ? 1 : null, most: most === null ? null : most + 1 };
}

/** Of an account without tweets, the profile has to tell whether it exists, unless it was seen today. */
function orConfirm(pages: Guess, items: Guess, { kind, account }: Subject, now: number): Guess {
  if (kind.notFound !== 'missing or empty' || now - Math.max(account?.profileAt ?? 0, account?.summaryAt ?? 0) <= DAY)
    return pages;
  const more = (n: number | null): number => (n === 0 ? 1 : 0);
  return {
    least: pages.least,
    likely: pages.likely === null ? null : pages.likely + more(items.likely),
    most: pages.most === null ? null : Math.max(pages.most, 2),
  };
}
