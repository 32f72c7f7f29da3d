import { advanceCrawl } from '#crawl/page/decide-page.ts';
import type { PageRecord } from '#crawl/page/page-record.ts';
import type { CrawlEnd } from '#service/kinds/decide-end.ts';
import { NO_ROWS, countRejects } from '#store/normalise/parse-page.ts';
import type { CommitResult, LeaseRelease, RequestEntry, SubmittedPage } from '#store/schema/commit-messages.ts';
import type { StoredCrawl } from '#store/schema/query-results.ts';
import type { EngineDependencies } from './engine-dependencies.ts';

/** How a crawl is handed back, besides its state. */
export type HandBackDetails = Partial<Pick<LeaseRelease, 'reason' | 'error' | 'resumeAt' | 'failures'>>;

export type SliceWrites = ReturnType<typeof createSliceWrites>;

/**
 * The writes of a slice, with the requests that they put on record. Pages are stored in order. While one is being stored, only
 * the next one may be requested: a crawl is at most one page ahead of its last commit, and a kill costs at most two pages
 * (invariant 1).
 */
export function createSliceWrites({
  store,
  clock,
  announceCrawls,
}: Pick<EngineDependencies, 'store' | 'clock' | 'announceCrawls'>) {
  const unstored = new Set<RequestEntry>();
  const failures = new Set<unknown>();
  let lastPage: Promise<CrawlEnd | undefined> = Promise.resolve(undefined);
  let lastCursor: string | null | undefined;

  async function track<T>(requests: readonly RequestEntry[], write: Promise<T>): Promise<T> {
    for (const request of requests) unstored.add(request);
    try {
      const result = await write;
      for (const request of requests) unstored.delete(request);
      return result;
    } catch (error) {
      failures.add(error);
      throw error;
    }
  }

  async function put(page: SubmittedPage, before: typeof lastPage): Promise<CrawlEnd | undefined> {
    try {
      // The store refuses a page after a lost one by its cursor; a page that is requested again has the same.
      const isRepetition = page.requestCursor === lastCursor;
      lastCursor = page.requestCursor;
      const write = isRepetition ? before.then(() => store.write.commitPage(page)) : store.write.commitPage(page);
      const { children, end } = await track(page.requests, write);
      if (children.length > 0) announceCrawls(children.map(({ id }) => id));
      return end;
    } catch (error) {
      // A page after a failed one fails with its error, whichever reply is read first.
      await before;
      throw error;
    }
  }

  /** Starts to store a page; resolves when the page before it is stored. @throws the error of that page */
  async function commitPage(page: SubmittedPage): Promise<void> {
    const before = lastPage;
    lastPage = put(page, before);
    // The next caller gets the error.
    lastPage.catch(() => undefined);
    await before;
  }

  /** Stores what the responses showed and the end of the crawl, if any, and leaves the checkpoint where it is. */
  async function commitRecord(crawl: StoredCrawl, record?: PageRecord, end?: CrawlEnd): Promise<CommitResult> {
    const { id: crawlId, leaseToken: lease, cursor: requestCursor } = crawl;
    const parts = record ?? { at: clock.now(), rows: NO_ROWS, requests: [], bodies: [] };
    const { progress } = advanceCrawl(crawl, {}, countRejects(parts));
    const page = { ...parts, crawlId, lease, requestCursor, progress, end, children: [] };
    return await track(page.requests, store.write.commitPage(page));
  }

  /** Gives the crawl back to the queue. */
  async function release(
    crawl: StoredCrawl,
    state: LeaseRelease['state'],
    { reason, error, resumeAt, failures = crawl.consecutiveFailures }: HandBackDetails,
    requests: readonly RequestEntry[],
  ): Promise<void> {
    const { id: crawlId, leaseToken: lease } = crawl;
    const to = { crawlId, lease, at: clock.now(), state, reason, error, resumeAt, failures, requests };
    await track(requests, store.write.releaseLease(to));
  }

  return {
    /** The requests that are not on record, as far as this knows. */
    unstored,
    /** Whether an error is that of a write of this slice. */
    isOfWrite: (error: unknown): boolean => failures.has(error),
    commitPage,
    /** Resolves when all pages are stored, with the end of the crawl if it ended. @throws the error of a page */
    flush: (): Promise<CrawlEnd | undefined> => lastPage,
    commitRecord,
    release,
  };
}

/**
 * Gives the crawl back to the queue. Responses of the record are stored first: they need not be requested again; and so is
 * what their page waits for.
 */
export async function handBackCrawl(
  { commitRecord, release }: SliceWrites,
  crawl: StoredCrawl,
  state: LeaseRelease['state'],
  details: HandBackDetails = {},
  record?: PageRecord,
): Promise<void> {
  const { lookups = [], bodies = [], requests = [] } = record ?? {};
  const hasNews = lookups.length > 0 || bodies.length > 0;
  const { requestsAtOnce, heldEndpoint } = crawl.checkpoint;
  const isStored = hasNews || (requests.length > 0 && (requestsAtOnce ?? heldEndpoint) !== undefined);
  if (isStored) await commitRecord(crawl, record);
  await release(crawl, state, details, isStored ? [] : requests);
}
