import { type Kind, type KindName, kindTable } from '../kinds/kinds.ts';
import type { AccountFacts, PlanFacts, WalkFacts } from '../store/plan-facts.ts';
import type { CrawlSpec, Guess } from '../store/schema/messages.ts';
import { atLeast, each, exactly } from './estimate.ts';

/** A list to be planned: what is asked for, and what the store knows of it. */
export interface Subject {
  readonly spec: CrawlSpec;
  readonly kind: Kind;
  readonly account: AccountFacts | undefined;
  readonly walks: WalkFacts | undefined;
}

/** What may not be known, so that a plan is a range. */
export type Fact = 'profile' | 'items' | 'share' | 'pageSize' | 'isPaged' | 'children' | 'overlap' | 'halves';

/** Says that a fact is missing. */
export type Miss = (fact: Fact) => void;

/**
 * How many items the whole list has. The newest evidence counts: a walk to its end, or what the profile says; of that, a
 * list may show a part only (a timeline has no replies), and how large it is, other lists of the kind have shown.
 */
export function itemsOf({ spec, kind, account, walks }: Subject, facts: PlanFacts, miss: Miss): Guess {
  if (kind.target === 'tweet') {
    const replies = facts.replyCount(spec.target);
    if (replies !== undefined) return exactly(replies);
  }
  const whole = walks?.whole;
  const { reported } = kind;
  const count = reported && account?.[reported];
  if (reported === undefined || count == null) {
    if (whole) return { least: 0, likely: whole.items, most: null };
    miss(reported ? 'profile' : 'items');
    return atLeast(0);
  }
  // Only a profile shows how many tweets there are; a summary shows the others, too.
  const saidAt = (reported === 'statusesCount' ? account?.profileAt : account?.summaryAt) ?? account?.profileAt ?? 0;
  if (whole && whole.at >= saidAt && kindTable[spec.kind as KindName].newestFirst === false)
    return exactly(whole.items);
  const share = facts.share(spec.kind, reported);
  if (count === 0) return exactly(0);
  if (share === undefined) {
    if (reported === 'statusesCount') miss('share');
    return { least: 0, likely: reported === 'statusesCount' ? null : count, most: count };
  }
  const isEnough = share.lists >= ENOUGH;
  return {
    least: isEnough ? Math.floor(count * Math.min(1, share.least)) : 0,
    likely: Math.round(count * (share.items / share.reported)),
    most: Math.ceil(count * (isEnough ? share.most : Math.max(1, share.most))),
  };
}

/** So many lists show how different they are. */
const ENOUGH = 10;

/** Of items that came at an even pace up to `until`, those since a time. */
export function itemsSince(items: Guess, since: number, from: number | null | undefined, until: number): Guess {
  if (since >= until) return { least: 0, likely: 0, most: items.most };
  if (from == null || from >= until) return { ...items, least: 0, likely: null };
  if (since <= from) return items;
  const even = each(items, (n) => Math.ceil((n * (until - since)) / (until - from)));
  return { least: 0, likely: even.likely, most: items.most };
}
