import type { CrawlAnswer, CrawlPriority } from '../analysis/status/status-model.ts';

/** The public types of the library. This file imports only other public types. */

/** The kinds of crawls. */
export type CrawlKind =
  | 'profile'
  | 'timeline'
  | 'replies'
  | 'followers'
  | 'following'
  | 'tweet'
  | 'community'
  | 'list'
  | 'search';

/** The kinds that a snowball can crawl for each discovered account. */
export type AccountKind = 'profile' | 'timeline' | 'replies' | 'followers' | 'following';

/** The service to crawl, and an API key. */
export interface ServiceSettings {
  /** The base address, such as `https://api.example.org`. */
  readonly url: string;
  /** The API key. It is sent to the service only; it is never stored, logged or part of an error. */
  readonly key: string;
  /**
   * Names the key in the provenance of crawls (the table `crawl_sources`): at most 64 printable characters, without the key.
   * By default, a part of its hash.
   */
  readonly keyLabel?: string | undefined;
  /** How parameters are sent: as a query string (`GET`, the default) or as a JSON body (`POST`). */
  readonly method?: 'GET' | 'POST' | undefined;
  /** The part of the quota that is never used: a share from 0 to 1, or a number of requests; by default a tenth of the limit. */
  readonly reserve?: { readonly share: number } | { readonly requests: number } | undefined;
}

/** The Redis of the queue and of the key's quota. Processes that share a store or a key should use the same one. */
export interface RedisSettings {
  /**
   * By default, the processes of a store share a private `redis-server` or `valkey-server` from `/usr/bin` or `/bin`. If there
   * is none, a built-in queue allows one run or worker per store.
   */
  readonly url?: string | undefined;
  /** The folder for the private server's socket. Commands use `XDG_RUNTIME_DIR`: pass the same folder to share their server. */
  readonly runtimeDir?: string | undefined;
}

/** A value of SQLite. Integers that are not safe (`Number.isSafeInteger`) are bigints. */
export type SqlCell = number | bigint | string | Uint8Array | null;

/** A row of a query, by column name. */
export type SqlRow = Readonly<Record<string, SqlCell>>;

/** An open store. */
export interface TrawlStore extends AsyncDisposable {
  /** The file of the store. */
  readonly path: string;
  /**
   * Runs a read-only statement each time the result is iterated. Rows are read lazily.
   *
   * @param parameters the values of the `?` parameters of the statement.
   * @throws UsageError during iteration, if the statement is invalid or not read-only.
   */
  query(sql: string, parameters?: readonly SqlCell[]): Iterable<SqlRow>;
  /** Stops the runs, workers and servers of the store, and closes its file. A second call has no effect. */
  close(): Promise<void>;
}

/** The options that define crawls. */
export interface CrawlDefinition {
  readonly kind: CrawlKind;
  /** Accounts (`nasa`, `@nasa`, `id:11348282` or a URL), ids or URLs of tweets, communities or lists, or search strings. */
  readonly targets: readonly string[];
  /** The store that receives the rows. */
  readonly into: TrawlStore;
  /** The maximum number of pages of each requested crawl; a crawl that stops there ends `partial`. */
  readonly maxPages?: number | undefined;
  /** Stops at items older than this time (timeline, replies, community). */
  readonly since?: Date | undefined;
  /** Reads the whole list again, including complete intervals. */
  readonly fullRefresh?: boolean | undefined;
  /** Whether tweets missing from the list are re-checked; true by default. */
  readonly recheck?: boolean | undefined;
  /** A snowball: also crawls these kinds of each discovered account. */
  readonly then?: readonly AccountKind[] | undefined;
  /** The number of generations of the snowball; 1 by default. */
  readonly depth?: number | undefined;
  /** The maximum number of discovered accounts, in total for all targets. */
  readonly maxTargets?: number | undefined;
  /** The maximum number of pages of each child crawl. */
  readonly thenMaxPages?: number | undefined;
}

/** The limits that the crawls of a request share. */
export interface CrawlBudget {
  /** The maximum number of requests in total; crawls that need more end `partial`. */
  readonly maxRequests?: number | undefined;
  /** The maximum number of requests per day (UTC); crawls pause until the next day. */
  readonly maxRequestsPerDay?: number | undefined;
}

/** How this process runs crawls. */
export interface WorkerSettings {
  readonly service: ServiceSettings;
  readonly redis?: RedisSettings | undefined;
  /** The maximum number of concurrent crawls of a priority; 16 by default. */
  readonly concurrency?: number | undefined;
  /** Whether the raw bodies of pages are kept, which a rebuild needs; true by default. */
  readonly keepRaw?: boolean | undefined;
  /** How long to wait during an outage or on a full disk, in ms: 5 min in `crawl`, an hour in `work` with `exitWhenIdle`. */
  readonly waitMs?: number | undefined;
  /** Stops the run or worker, like `close()`. */
  readonly signal?: AbortSignal | undefined;
}

export interface CrawlRequest extends CrawlDefinition, CrawlBudget, WorkerSettings {}

export interface EnqueueRequest extends CrawlDefinition, CrawlBudget {
  /** By default `interactive`. */
  readonly priority?: CrawlPriority | undefined;
  readonly redis?: RedisSettings | undefined;
}

export interface PlanRequest extends Omit<EnqueueRequest, keyof CrawlBudget> {
  /** The service whose quota is part of the plan. It receives one request, which costs no quota. */
  readonly service?: ServiceSettings | undefined;
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface WorkRequest extends WorkerSettings {
  /** The store whose queued crawls are run. */
  readonly store: TrawlStore;
  /** Whether the worker ends when no crawl is unfinished; by default, it runs until it is stopped. */
  readonly exitWhenIdle?: boolean | undefined;
  /** How many days the raw bodies of pages are kept; by default, they are kept forever. */
  readonly rawDays?: number | undefined;
}

export interface ServeRequest {
  /** The store to serve. */
  readonly store: TrawlStore;
  /** The address to listen on; 127.0.0.1 by default. Any other address exposes the whole store to every holder of a key. */
  readonly host?: string | undefined;
  /** The port; any free port by default. */
  readonly port?: number | undefined;
  /** Items per page of all lists; the default depends on the endpoint. */
  readonly pageSize?: number | undefined;
  /** The delay of each response, in ms. */
  readonly latencyMs?: number | undefined;
}

/** An event of a worker. */
export type WorkEvent =
  /**
   * An outage of the service, or of some endpoints, began or ended (`isOver`). `endpoints` is empty if the whole service is
   * unavailable, and at the end.
   */
  | {
      readonly type: 'outage';
      readonly isOver: boolean;
      readonly endpoints: readonly string[];
      readonly message: string;
    }
  /** Crawls started to wait for disk space, or resumed. */
  | { readonly type: 'disk'; readonly isOver: boolean; readonly message: string }
  /** A warning for the operator, for example that token-info does not respond. */
  | { readonly type: 'warning'; readonly message: string };

/** An event of a run of crawls. An unread event is replaced by a newer one on the same subject, such as the same crawl. */
export type CrawlEvent =
  | WorkEvent
  /** A crawl was queued, or has changed. */
  | { readonly type: 'crawl'; readonly crawl: CrawlAnswer }
  /** The run joined this number of unfinished crawls. */
  | { readonly type: 'resume'; readonly crawls: number }
  /** The estimate of the remaining quota has changed. */
  | { readonly type: 'quota'; readonly left: number; readonly limit: number }
  /** The wait for the service or the disk (`isForDisk`) has timed out; the crawls stay queued. */
  | { readonly type: 'timeout'; readonly waitMs: number; readonly isForDisk: boolean };

/** The result of a run of crawls. */
export interface CrawlResult {
  /** The requested crawls and their child crawls. */
  readonly crawls: readonly CrawlAnswer[];
  /** Whether all of them ended `complete`. A `capped` crawl has stored what the service shows, but more may exist. */
  readonly isComplete: boolean;
}

/**
 * Running crawls: an iterable of their events, each of which is read once, and a promise of their result. Leaving the loop
 * does not stop the run; `close()` does.
 */
export interface CrawlRun extends AsyncIterable<CrawlEvent>, AsyncDisposable {
  /**
   * Resolves when the crawls have ended, the run was stopped or its wait has timed out. Unfinished crawls are kept: the same
   * request resumes them. Rejects with a {@link TrawlError} if, for example, the key is refused or the store fails; the
   * iteration then throws the same error.
   */
  readonly done: Promise<CrawlResult>;
  /** Stops the run within 5 s, after the pages in progress, and releases its resources. */
  close(): Promise<void>;
}

/** The result of a worker. */
export interface WorkResult {
  /** The number of unfinished crawls. */
  readonly unfinished: number;
  /** Whether the wait for the service or the disk has timed out; only with `exitWhenIdle`. */
  readonly hasTimedOut: boolean;
}

/** A running worker, which is used like a {@link CrawlRun}. */
export interface Worker extends AsyncIterable<WorkEvent>, AsyncDisposable {
  /**
   * Resolves when the worker was stopped or, with `exitWhenIdle`, is idle or has timed out. Rejects like that of
   * {@link CrawlRun}.
   */
  readonly done: Promise<WorkResult>;
  /** Stops the worker within 5 s, after the pages in progress, and releases its resources. */
  close(): Promise<void>;
}

/** A crawl that was queued. */
export interface EnqueuedCrawl {
  readonly id: number;
  readonly kind: CrawlKind;
  readonly target: string;
  /** Whether it joined an equal unfinished crawl. */
  readonly isJoined: boolean;
}

/** An estimated number of requests: a range and an expected value; null if unknown. */
export interface RequestEstimate {
  readonly min: number;
  readonly expected: number | null;
  readonly max: number | null;
}

/** The estimated cost of crawls. */
export interface Plan {
  /** The requests of all crawls, including child crawls. */
  readonly requests: RequestEstimate;
  readonly crawls: readonly { readonly kind: CrawlKind; readonly target: string; readonly requests: RequestEstimate }[];
  /** The quota, in requests; undefined without `service`. */
  readonly quota:
    | { readonly limit: number; readonly remaining: number; readonly requestsPerWindow: number }
    | undefined;
  /**
   * When the expected number of requests (or the minimum) is finished, and the quota windows that it takes; undefined without
   * `service`, or if the quota allows no request. An unknown time is null.
   */
  readonly finish:
    | { readonly earliest: Date | null; readonly latest: Date | null; readonly windows: number }
    | undefined;
}

/** A running twin. */
export interface TwinServer extends AsyncDisposable {
  /** Its base address, without a trailing slash. */
  readonly url: string;
  /** Creates a key. Only its hash is stored: keep the returned key. By default, it allows 1000 requests per 15 min. */
  createKey(options: {
    readonly name: string;
    readonly limit?: number | undefined;
    readonly windowMs?: number | undefined;
  }): string;
  /** Stops the server within 5 s, after it has answered the requests in progress. */
  close(): Promise<void>;
}
