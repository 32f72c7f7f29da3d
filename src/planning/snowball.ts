import { optionsOf } from '../kinds/crawl-spec.ts';
import { type Kind, type KindName, kindTable } from '../kinds/kinds.ts';
import type { PlanFacts } from '../store/plan-facts.ts';
import type { Guess } from '../store/schema/messages.ts';
import { atLeast, ONE, plus, sumOf, times, upTo } from './estimate.ts';
import { itemsOf, type Miss, type Subject } from './list-items.ts';
import { type Costs, costsOf, listedIn, requestsFor } from './per-account.ts';

/** The accounts that a snowball reaches, and the requests that it takes beside its first crawl. */
export interface SnowballPlan {
  readonly accounts: Guess;
  readonly requests: Guess;
  /** Of each kind of crawl; none where nothing limits the run. */
  readonly costs: readonly Costs[];
  /** How many accounts all snowballs of the run may reach together. */
  readonly maxTargets: number | undefined;
}

export function planSnowball(root: Subject, facts: PlanFacts, now: number, miss: Miss): SnowballPlan {
  const { andThen = [], depth = 1, maxTargets, thenMaxPages } = optionsOf(root.spec);
  const kinds = andThen as KindName[];
  const known = listedIn(root, facts);
  const leading = kinds.filter((kind) => (kindTable[kind] as Kind).leadsOn);
  const costs = kinds.map((kind) => costsOf(kind, root, facts, now));
  const ofOthers = sumOf(costs.map(({ other }) => other));
  let generation = upTo(firstGeneration(root, facts, miss), maxTargets);
  let accounts = generation;
  let requests = sumOf(costs.map((cost) => requestsFor(generation, cost)));
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
    requests = plus(requests, times(generation, ofOthers));
  }
  if (requests.likely === null && ofOthers.likely === null) miss('children');
  return { accounts, requests, costs: maxTargets === undefined ? [] : costs, maxTargets };
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
  return { least: 0, likely: mean, most: most ?? null };
}
