import type { CrawlLine, CrawlState } from './overview.ts';

/** What the page of a crawl shows: `/api/crawls/:id`. */
export interface CrawlData {
  readonly at: number;
  /** Its own numbers, without those of its child crawls. */
  readonly line: CrawlLine;
  /** Its options in words, empty without options. */
  readonly options: string;
  /** The account's id, if its target has one. */
  readonly accountId: string | null;
  readonly job: string | null;
  readonly runId: number | null;
  readonly rejectedItems: number;
  readonly changes: number;
  /** What its state claims, why, and what ended its list, in sentences. */
  readonly evidence: readonly string[];
  readonly lastError: string | null;
  /** What a user may do with it. */
  readonly actions: readonly {
    readonly name: 'cancel' | 'resume' | 'repeat';
    readonly label: string;
    readonly explanation: string;
  }[];
  /** Planned requests, child crawls included. */
  readonly plan: {
    readonly min: number;
    readonly expected: number | null;
    readonly max: number | null;
  } | null;
  /** The pages and requests of it and its child crawls; null if it has none. */
  readonly tree: { readonly pages: number; readonly requests: number } | null;
  /** Cumulative numbers at the ends of periods. */
  readonly timeline: {
    readonly from: number;
    readonly points: readonly (readonly [at: number, requests: number, pages: number, failed: number])[];
  };
  /** The minutes without a request after the first one, in order. */
  readonly waits: readonly CrawlWaitData[];
  readonly outcomes: readonly {
    readonly endpoint: string;
    readonly status: number | null;
    readonly requests: number;
    readonly bytes: number;
    readonly meanMs: number;
  }[];
  readonly events: readonly CrawlEventData[];
  readonly parent: CrawlLine | null;
  readonly children: {
    readonly total: number;
    readonly states: readonly { readonly state: CrawlState; readonly n: number }[];
    /** The latest of those that it created itself. */
    readonly rows: readonly CrawlLine[];
  };
  readonly rejects: readonly { readonly path: string; readonly reason: string }[];
  readonly dropped: readonly {
    readonly field: string;
    readonly reason: string;
    readonly values: number;
    readonly sample: string;
  }[];
  readonly sources: readonly {
    readonly serviceHost: string;
    readonly trawlVersion: string;
    readonly keyLabel: string;
    readonly firstUsedAt: number;
    readonly lastUsedAt: number;
  }[];
}

/** `quota`: too little was left for its priority. `failure`: the request before it failed. */
export type CrawlWaitCause = 'quota' | 'failure' | 'unknown';

export interface CrawlWaitData {
  readonly from: number;
  readonly to: number;
  readonly cause: CrawlWaitCause;
}

export interface CrawlEventData {
  readonly at: number;
  readonly text: string;
  readonly isProblem: boolean;
}
