/** The public types of the library. They import nothing, so that no internal type is part of the interface. */

/** What can be crawled. */
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

/** The kinds that a snowball can crawl of each discovered account. */
export type AccountKind = 'profile' | 'timeline' | 'replies' | 'followers' | 'following';

/** Which crawls go first when the quota is low, most urgent first. */
export type CrawlPriority = 'interactive' | 'scheduled' | 'backfill';

/** The service to crawl, and the key for it. */
export interface ServiceSettings {
  /** The base address, such as `https://api.example.org`. */
  readonly url: string;
  /** It is sent to the service only, and never stored, logged or part of an error. */
  readonly key: string;
  /** How parameters are sent: as a query string (`GET`, the default) or as a JSON body (`POST`). */
  readonly method?: 'GET' | 'POST' | undefined;
  /** The part of the quota that is never used: a share from 0 to 1, or a number of requests; by default a tenth. */
  readonly reserve?: { readonly share: number } | { readonly requests: number } | undefined;
}

/**
 * The Redis of the queue. Processes that share a store should name the same one; so should crawls of one key into several
 * stores, since the record of the key's requests is there.
 */
export interface RedisSettings {
  /**
   * The address, such as `redis://127.0.0.1:6379`. By default all processes of a store share a private `redis-server`
   * of `/usr/bin` or `/bin`; if there is none, a run starts a server of its own, and is the only one of its store.
   */
  readonly url?: string | undefined;
  /** The folder of the private server's socket: `XDG_RUNTIME_DIR` of the other processes. */
  readonly runtimeDir?: string | undefined;
}

/** A value of SQLite. Integers beyond 2^53 are bigints. */
export type SqlCell = number | bigint | string | Uint8Array | null;

/** A row of a query, by column name. */
export type SqlRow = Readonly<Record<string, SqlCell>>;

/** An open store. */
export interface TrawlStore extends AsyncDisposable {
  /** The path of its file. */
  readonly path: string;
  /**
   * Runs a read-only statement each time the result is iterated, and reads its rows lazily.
   *
   * @param parameters the values of `?` in the statement.
   * @throws UsageError on iteration, for an invalid statement or one that is not read-only.
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
  /** The store of the rows. */
  readonly into: TrawlStore;
  /** Stops after so many pages; the crawl ends `partial`. */
  readonly maxPages?: number | undefined;
  /** Stops at older items (timeline, replies, community). */
  readonly since?: Date | undefined;
  /** Reads the whole list again, including complete intervals. */
  readonly fullRefresh?: boolean | undefined;
  /** Whether tweets that are missing from the list are re-checked; true by default. */
  readonly recheck?: boolean | undefined;
  /** A snowball: also crawls these kinds of each discovered account. */
  readonly then?: readonly AccountKind[] | undefined;
  /** The number of generations of the snowball; 1 by default. */
  readonly depth?: number | undefined;
  /** The maximum number of discovered accounts, in total for all targets. */
  readonly maxTargets?: number | undefined;
  /** Stops each child crawl after so many pages. */
  readonly thenMaxPages?: number | undefined;
}

/** The limits that crawls share. */
export interface CrawlBudget {
  /** The maximum number of requests in total; unfinished crawls end `partial`. */
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
  /** Whether the bodies of pages are kept, which a rebuild needs; true by default. */
  readonly keepRaw?: boolean | undefined;
  /** How long to wait during an outage of the service or on a full disk, in ms. */
  readonly waitMs?: number | undefined;
  /** Stops like `close()`. */
  readonly signal?: AbortSignal | undefined;
}

/** The argument of {@link crawl}. */
export interface CrawlRequest extends CrawlDefinition, CrawlBudget, WorkerSettings {}

/** The argument of {@link enqueue}. */
export interface EnqueueRequest extends CrawlDefinition, CrawlBudget {
  /** By default `interactive`. */
  readonly priority?: CrawlPriority | undefined;
  readonly redis?: RedisSettings | undefined;
}

/** The argument of {@link plan}. */
export interface PlanRequest extends CrawlDefinition {
  /** By default `interactive`. */
  readonly priority?: CrawlPriority | undefined;
  /** The service whose quota is part of the plan. It gets one free request. */
  readonly service?: ServiceSettings | undefined;
  readonly redis?: RedisSettings | undefined;
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The argument of {@link work}. */
export interface WorkRequest extends WorkerSettings {
  /** The store whose queued crawls are run. */
  readonly store: TrawlStore;
  /** Ends when no crawl is unfinished; by default the worker runs until it is stopped. */
  readonly exitWhenIdle?: boolean | undefined;
  /** Days to keep the bodies of pages; by default they are kept forever. */
  readonly rawDays?: number | undefined;
}

/** The argument of {@link serve}. */
export interface ServeRequest {
  /** The store to serve. */
  readonly store: TrawlStore;
  /** 127.0.0.1 by default; another address exposes the whole store to every holder of a key. */
  readonly host?: string | undefined;
  /** Any free port by default. */
  readonly port?: number | undefined;
  /** Items per page of all lists; by default by endpoint. */
  readonly pageSize?: number | undefined;
  /** Delay of each response in ms. */
  readonly latencyMs?: number | undefined;
}

/** The state of a crawl: unfinished (`queued`, `running`, `paused`), or how it ended. */
export type CrawlStatus = 'queued' | 'running' | 'paused' | 'complete' | 'capped' | 'partial' | 'failed' | 'cancelled';

/** A crawl as it is stored. */
export interface Crawl {
  readonly id: number;
  readonly kind: CrawlKind;
  /** The canonical target, such as `nasa` or `id:11348282`. */
  readonly target: string;
  readonly state: CrawlStatus;
  /** Why it is paused, or did not end `complete`; null if there is nothing to say. */
  readonly reason: string | null;
  /** The message of the last error; null without one. */
  readonly error: string | null;
  readonly pages: number;
  readonly items: number;
  /** Items that the store did not have. */
  readonly newItems: number;
  /** Items that could not be stored. */
  readonly rejectedItems: number;
  readonly requests: number;
  /** The crawl that created it; null for a requested crawl. */
  readonly parentId: number | null;
  readonly finishedAt: Date | null;
}

/** An event of a worker. */
export type WorkEvent =
  /** The service, or some of its endpoints, became unavailable or available again; no endpoints: the whole service. */
  | {
      readonly type: 'outage';
      readonly isOver: boolean;
      readonly endpoints: readonly string[];
      readonly message: string;
    }
  /** Crawls began or ended to wait for disk space. */
  | { readonly type: 'disk'; readonly isOver: boolean; readonly message: string }
  /** Something that a person should know, such as a service without token-info. */
  | { readonly type: 'warning'; readonly message: string };

/** An event of a run of crawls. Events that were not read in time are replaced by their successors. */
export type CrawlEvent =
  | WorkEvent
  /** A crawl was queued, or its row has changed. */
  | { readonly type: 'crawl'; readonly crawl: Crawl }
  /** Unfinished crawls were joined. */
  | { readonly type: 'resume'; readonly crawls: number }
  /** The estimate of the remaining quota has changed. */
  | { readonly type: 'quota'; readonly left: number; readonly limit: number }
  /** The wait for the service or the disk has ended; the crawls stay queued. */
  | { readonly type: 'timeout'; readonly waitMs: number; readonly isForDisk: boolean };

/** The result of a run of crawls. */
export interface CrawlResult {
  /** The requested crawls and their child crawls. */
  readonly crawls: readonly Crawl[];
  /** Whether all of them ended `complete`. A `capped` crawl stored what the service shows, but more may exist. */
  readonly isComplete: boolean;
}

/**
 * Running crawls: an iterable of their events, once, and a promise of their result. Leaving the loop ends the events only;
 * `close()` ends the run.
 */
export interface CrawlRun extends AsyncIterable<CrawlEvent>, AsyncDisposable {
  /**
   * Resolves when the crawls have ended or the run was stopped. Unfinished crawls are kept: the same request resumes them.
   * Rejects with a {@link TrawlError} if the key is refused or the store fails; so does the iteration.
   */
  readonly done: Promise<CrawlResult>;
  /** Stops the run within 5 s, after the pages in progress, and releases everything that it has opened. */
  close(): Promise<void>;
}

/** The result of a worker. */
export interface WorkResult {
  /** The number of unfinished crawls. */
  readonly unfinished: number;
  /** Whether the wait for the service or the disk has ended, with `exitWhenIdle`. */
  readonly hasTimedOut: boolean;
}

/** A running worker: an iterable of its events, once, and a promise of its end. */
export interface Worker extends AsyncIterable<WorkEvent>, AsyncDisposable {
  /** Resolves when the worker was stopped, or is idle. Rejects with a {@link TrawlError}; so does the iteration. */
  readonly done: Promise<WorkResult>;
  /** Stops the worker within 5 s, after the pages in progress, and releases everything that it has opened. */
  close(): Promise<void>;
}

/** A crawl that was queued. */
export interface EnqueuedCrawl {
  readonly id: number;
  readonly kind: CrawlKind;
  readonly target: string;
  /** Whether an equal unfinished crawl existed, which it joins. */
  readonly isJoined: boolean;
}

/** An unknown number of requests: a range and its expected value; null where nothing is known. */
export interface RequestEstimate {
  readonly min: number;
  readonly expected: number | null;
  readonly max: number | null;
}

/** The estimated cost of crawls. */
export interface Plan {
  /** The requests of all crawls, child crawls included. */
  readonly requests: RequestEstimate;
  readonly crawls: readonly { readonly kind: CrawlKind; readonly target: string; readonly requests: RequestEstimate }[];
  /** Undefined without a service that reports its quota. */
  readonly quota:
    | { readonly limit: number; readonly remaining: number; readonly requestsPerWindow: number }
    | undefined;
  /** The finish time: the bounds of the expected number of requests, or else of their minimum; undefined if unknown. */
  readonly finish: { readonly earliest: Date; readonly latest: Date | undefined; readonly windows: number } | undefined;
}

/** A running twin. */
export interface TwinServer extends AsyncDisposable {
  /** Its base address, without a trailing slash. */
  readonly url: string;
  /** Creates a key. It is not stored: the return value is its only copy. By default it allows 1000 requests per 15 min. */
  createKey(options: {
    readonly name: string;
    readonly limit?: number | undefined;
    readonly windowMs?: number | undefined;
  }): string;
  /** Stops the server after it has answered the requests in progress. */
  close(): Promise<void>;
}
