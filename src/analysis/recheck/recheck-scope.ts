import type { CrawlSpec, Estimate } from '../../service/kinds/crawl-spec.ts';

/** What a re-check is about. */
export interface RecheckScope {
  readonly items: 'tweets' | 'users';
  /** Items whose last check is older are due; milliseconds UTC. An item is checked when the service shows it, or answers for it. */
  readonly before: number;
  /** The service's ids of accounts: only these accounts, or tweets of these authors. All if absent. */
  readonly accountIds?: readonly string[] | undefined;
  /** Also asks for deleted tweets and unavailable accounts again. */
  readonly includesGone?: boolean | undefined;
}

/** A stored tweet or account that crawls of a selection check. */
export interface SelectedItem {
  /** The store's number. */
  readonly id: number;
  /** It was deleted or unavailable before. */
  readonly wasGone: boolean;
  /** The handle of an account before; null for tweets. */
  readonly screenName: string | null;
}

/** The crawls that check the items whose last check is the oldest, within a number of requests. */
export interface RecheckSelection {
  readonly specs: readonly CrawlSpec[];
  readonly items: readonly SelectedItem[];
  /** Requests of all crawls, and the most that one of them is expected to take. */
  readonly requests: Estimate;
  readonly longest: number;
  /** The lists among the crawls, and the tweets that they are expected to show. */
  readonly lists: { readonly crawls: number; readonly tweets: number };
}

/** The numbers of items of a scope. */
export interface DueItems {
  readonly due: number;
  /** The oldest last check of them, milliseconds UTC; null if none is due. */
  readonly oldestCheckAt: number | null;
  /** Items that are not asked for, since they are deleted or unavailable. */
  readonly gone: number;
  /** Tweets that are not asked for, since their authors are unavailable. */
  readonly ofUnavailable: number;
}

/** A crawl of a selection, with the items that it checks. */
export interface Check {
  readonly spec: CrawlSpec;
  readonly items: readonly SelectedItem[];
  readonly requests: { readonly expected: number; readonly max: number };
}

/** Adds checks while they fit into a number of requests. */
export function createSelection(maxRequests: number) {
  const specs: CrawlSpec[] = [];
  const items: SelectedItem[] = [];
  let [expected, max, longest, listCrawls, listTweets] = [0, 0, 0, 0, 0];
  return {
    get left(): number {
      return maxRequests - expected;
    },
    add(check: Check): void {
      specs.push(check.spec);
      for (const item of check.items) items.push(item);
      expected += check.requests.expected;
      max += check.requests.max;
      longest = Math.max(longest, check.requests.expected);
      if (check.items.length < 2) return;
      listCrawls += 1;
      listTweets += check.items.length;
    },
    finish: (): RecheckSelection => ({
      specs,
      items,
      requests: { min: Math.min(specs.length, expected), expected, max },
      longest,
      lists: { crawls: listCrawls, tweets: listTweets },
    }),
  };
}
