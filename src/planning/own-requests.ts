import { type Kind, type KindName, kindTable } from '../kinds/kinds.ts';
import { accountOf, handleTarget } from '../kinds/target.ts';
import type { AccountFacts, PlanFacts } from '../store/plan-facts.ts';
import type { CrawlSpec, Guess } from '../store/schema/messages.ts';
import { exactly, ONE, plus } from './estimate.ts';
import type { Miss, Subject } from './list-items.ts';
import { pagesOf } from './list-pages.ts';

/** What is asked for, with what the store knows of it. */
export function subjectOf(spec: CrawlSpec, facts: PlanFacts): Subject {
  const kind: Kind = kindTable[spec.kind as KindName];
  const account = kind.target === 'account' ? facts.account(accountOf(spec.target)) : undefined;
  return { spec, kind, account, walks: facts.walks(spec.kind, namesOf(spec.target, account)) };
}

/** A list may have been crawled by the account's handle or by its id. */
const namesOf = (target: string, account: AccountFacts | undefined): string[] =>
  account === undefined
    ? [target]
    : [
        ...new Set([
          target,
          `id:${account.restId}`,
          ...(account.screenName === null ? [] : [handleTarget(account.screenName)]),
        ]),
      ];

/** The requests of a crawl itself: to find out who is meant, and its pages. */
export function ownRequests(subject: Subject, facts: PlanFacts, now: number, miss: Miss): Guess {
  const { spec, kind, account } = subject;
  if (kind.target !== 'account') return pagesOf(subject, facts, now, miss);
  const target = accountOf(spec.target);
  // Asked by handle: of an id alone, the account's followers tell it.
  if (kind.asks === 'handle') return 'handle' in target || account?.screenName != null ? ONE : exactly(2);
  const lookUp = 'handle' in target && account === undefined ? 1 : 0;
  return plus(exactly(lookUp), pagesOf(subject, facts, now, miss));
}
