import type { Guess } from '../../store/messages.ts';
import type { PlanFacts } from '../../store/plan-facts.ts';
import { PROFILE_FRESH } from '../ending.ts';
import { type Kind, type KindName, kindTable } from '../kinds.ts';
import { crawlSpec, optionsOf } from '../spec.ts';
import { atLeast, each, exactly, ONE, plus, sumOf, times, upTo } from './guess.ts';
import { itemsOf, type Miss, type Subject } from './list-items.ts';
import { ownRequests, subjectOf } from './own-requests.ts';

/** The accounts that a snowball reaches, and the requests that it takes beside its first crawl. */
export interface SnowballPlan {
  readonly accounts: Guess;
  readonly requests: Guess;
}

/** So many of the accounts that are known to be in a list stand for all. */
const SAMPLE = 200;

export function planSnowball(root: Subject, facts: PlanFacts, now: number, miss: Miss): SnowballPlan {
  const { andThen = [], depth = 1, maxTargets, thenMaxPages } = optionsOf(root.spec);
  const kinds = andThen as KindName[];
  const known = listedIn(root, facts);
  const leading = kinds.filter((kind) => (kindTable[kind] as Kind).leadsOn);
  const of = (kind: KindName): Guess => perAccount(kind, known, thenMaxPages, root, facts, now, miss);
  const each1 = sumOf(kinds.map(of));
  let generation = upTo(firstGeneration(root, facts, miss), maxTargets);
  let accounts = generation;
  let requests = times(generation, each1);
  for (let n = 2; n <= depth && leading.length > 0; n++) {
    if (maxTargets !== undefined && accounts.least >= maxTargets) break;
    miss('overlap');
    const lists = sumOf(leading.map((kind) => listOf(kind, known, thenMaxPages, facts)));
    const found = { ...times(generation, lists), least: 0 };
    const before = accounts;
    accounts = upTo(plus(accounts, found), maxTargets);
    generation = {
      least: 0,
      likely: accounts.likely === null || before.likely === null ? null : accounts.likely - before.likely,
      most: accounts.most,
    };
    requests = plus(requests, times(generation, each1));
  }
  return { accounts, requests };
}

/** Accounts that are stored as part of the first crawl's list. */
function listedIn({ spec, kind, account }: Subject, facts: PlanFacts): string[] {
  if (!kind.leadsOn || account === undefined) return [];
  return facts.listed(spec.kind as 'followers' | 'following', account.restId, SAMPLE);
}

function firstGeneration(root: Subject, facts: PlanFacts, miss: Miss): Guess {
  const { spec, kind } = root;
  // Whoever crawls what an account wrote is led to the account.
  if (kind.target === 'account' && !kind.leadsOn) return ONE;
  const { maxPages } = optionsOf(spec);
  const seen = facts.kind(spec.kind);
  const size = seen && seen.fullPages > 0 ? seen.fullItems / seen.fullPages : undefined;
  const items = itemsOf(root, facts, miss);
  if (maxPages === undefined) return kind.leadsOn ? items : { ...items, least: 0 };
  return size === undefined ? { least: 0, likely: null, most: items.most } : upTo(items, Math.floor(maxPages * size));
}

/** What a crawl of a kind takes for one of the accounts: as for those that are known, or as such crawls took before. */
function perAccount(
  kind: KindName,
  known: readonly string[],
  maxPages: number | undefined,
  { spec }: Subject,
  facts: PlanFacts,
  now: number,
  miss: Miss,
): Guess {
  if (kind === 'profile') {
    const fresh = known.filter((id) => now - (facts.account({ id })?.profileAt ?? 0) <= PROFILE_FRESH);
    return known.length === 0 ? ONE : exactly(1 - fresh.length / known.length);
  }
  const limit = (kindTable[kind] as Kind).limits.includes('maxPages') ? maxPages : undefined;
  const seen = facts.kind(kind);
  const learnt: Guess =
    limit === 1
      ? ONE
      : seen && seen.crawls > 0
        ? { least: 1, likely: seen.requests / seen.crawls, most: null }
        : atLeast(1);
  if (known.length === 0) {
    if (learnt.likely === null) miss('children');
    return upTo(learnt, limit);
  }
  const guesses = known.map((id) => {
    const child = crawlSpec({
      kind,
      target: `id:${id}`,
      options: limit === undefined ? {} : { maxPages: limit },
      class: spec.class,
    });
    const guess = ownRequests(subjectOf(child, facts), facts, now, () => undefined);
    return guess.likely === null ? { ...guess, likely: upTo(learnt, limit).likely } : guess;
  });
  if (guesses.some(({ likely }) => likely === null)) miss('children');
  return each(sumOf(guesses), (n) => n / guesses.length);
}

/** How many accounts the list of one of the accounts leads to. */
function listOf(kind: KindName, known: readonly string[], maxPages: number | undefined, facts: PlanFacts): Guess {
  const seen = facts.kind(kind);
  const most =
    maxPages === undefined || !seen || seen.fullPages === 0 ? undefined : (maxPages * seen.fullItems) / seen.fullPages;
  const column = kindTable[kind].reported;
  const counts = known.flatMap((id) => {
    const account = facts.account({ id });
    const count = column === undefined ? null : account?.[column as keyof typeof account];
    return typeof count === 'number' ? [Math.min(count, most ?? count)] : [];
  });
  if (counts.length === 0) return atLeast(0);
  const mean = counts.reduce((sum, n) => sum + n, 0) / counts.length;
  return { least: 0, likely: mean, most: mean };
}
