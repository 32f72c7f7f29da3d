import type { CrawlSpec, Estimate } from '../kinds/crawl-spec.ts';
import { type Kind, getKind } from '../kinds/kinds.ts';
import { parseAccount, createHandleTarget } from '../kinds/target.ts';
import type { PlanningFacts } from '../store/schema/planning-facts.ts';
import type { StoredUser } from '../store/schema/query-results.ts';
import { createExactEstimate, ONE, addEstimates } from './estimate.ts';
import type { ReportMissing, PlannedList } from './list-items.ts';
import { estimatePages } from './list-pages.ts';

/** What is asked for, with what the store knows of it. */
export function loadPlannedList(spec: CrawlSpec, facts: PlanningFacts): PlannedList {
  const kind: Kind = getKind(spec.kind);
  const account = kind.targetType === 'account' ? facts.account(parseAccount(spec.target)) : undefined;
  return { spec, kind, account, walks: facts.latestCrawls(spec.kind, namesOf(spec.target, account)) };
}

/** A list may have been crawled by the account's handle or by its id. */
const namesOf = (target: string, account: StoredUser | undefined): string[] =>
  account === undefined
    ? [target]
    : [
        ...new Set([
          target,
          `id:${account.restId}`,
          ...(account.screenName === null ? [] : [createHandleTarget(account.screenName)]),
        ]),
      ];

/** The requests of a crawl itself: to find out who is meant, and its pages. */
export function estimateOwnRequests(
  subject: PlannedList,
  facts: PlanningFacts,
  now: number,
  miss: ReportMissing,
): Estimate {
  const { spec, kind, account } = subject;
  if (kind.targetType !== 'account') return estimatePages(subject, facts, now, miss);
  const target = parseAccount(spec.target);
  // Asked by handle: of an id alone, the account's followers tell it.
  if (kind.idForm === 'handle') return 'handle' in target || account?.screenName != null ? ONE : createExactEstimate(2);
  const lookUp = 'handle' in target && account === undefined ? 1 : 0;
  return addEstimates(createExactEstimate(lookUp), estimatePages(subject, facts, now, miss));
}
