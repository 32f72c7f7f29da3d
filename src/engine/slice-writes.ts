import type { CrawlEnd } from '../kinds/end-states.ts';
import { NO_ROWS, countRejects } from '../normalise/pages.ts';
import type { CommitResult, LeaseRelease, RequestEntry } from '../store/schema/messages.ts';
import type { StoredCrawl } from '../store/schema/query-results.ts';
import { advanceCrawl } from './advance-crawl.ts';
import type { EngineDependencies } from './engine-dependencies.ts';
import type { DiskShortage } from './outage/disk-guard.ts';
import { type FetchRecord, toRecordedParts } from './page-requests.ts';
import { type SliceResult, pausePriority } from './slice-result.ts';

/** A write failed: its error, and the requests that are therefore not on record. */
export class FailedWrite extends Error {
  readonly error: unknown;
  readonly requests: readonly RequestEntry[];

  constructor(error: unknown, requests: readonly RequestEntry[]) {
    super('a write of a slice failed', { cause: error });
    this.error = error;
    this.requests = requests;
  }
}

/** How a crawl is handed back, besides its state. */
export type HandBackDetails = Partial<Pick<LeaseRelease, 'reason' | 'error' | 'resumeAt' | 'failures'>>;

export type SliceWrites = ReturnType<typeof createSliceWrites>;

/** The writes of a slice that are no pages. */
export function createSliceWrites({ store, clock }: Pick<EngineDependencies, 'store' | 'clock'>) {
  /** Stores what the responses showed, and leaves the checkpoint where it is. */
  async function commitRecord(
    crawl: StoredCrawl,
    record: FetchRecord | undefined,
    end?: CrawlEnd,
  ): Promise<CommitResult> {
    const { id: crawlId, leaseToken: lease, cursor } = crawl;
    const parts = record ? toRecordedParts(record) : { at: clock.now(), rows: NO_ROWS, requests: [] };
    const { progress } = advanceCrawl(crawl, {}, countRejects(parts));
    const bodies = record?.responses ?? [];
    const commit = { ...parts, crawlId, lease, requestCursor: cursor, bodies, progress, end, children: [] };
    return await orFailedWrite(store.write.commitPage(commit), parts.requests);
  }

  /**
   * Gives the crawl back to the queue. Responses of the record are stored first: they need not be requested again; and so is
   * how many requests their page needs at once.
   * @throws FailedWrite
   */
  async function handBack(
    crawl: StoredCrawl,
    state: LeaseRelease['state'],
    next: SliceResult,
    details: HandBackDetails = {},
    record?: FetchRecord,
  ): Promise<SliceResult> {
    const { lookups = [], responses = [], requests: sent = [] } = record ?? {};
    const hasNews = lookups.length > 0 || responses.length > 0;
    const isStored = hasNews || (sent.length > 0 && crawl.checkpoint.requestsAtOnce !== undefined);
    if (isStored) await commitRecord(crawl, record);
    const requests = isStored ? [] : sent;
    const { id: crawlId, leaseToken: lease, consecutiveFailures: failures } = crawl;
    const handBack = { crawlId, lease, at: clock.now(), state, failures, requests, ...details };
    await orFailedWrite(store.write.releaseLease(handBack), requests);
    return next;
  }

  return {
    handBack,
    /** Pauses a leased crawl for the disk, as all crawls of its priority. @throws the error of the write */
    async pauseForDisk(
      crawl: StoredCrawl,
      { until, why }: DiskShortage,
      failures = crawl.consecutiveFailures,
      requests: readonly RequestEntry[] = [],
    ): Promise<SliceResult> {
      const pause = { state: 'paused', reason: 'disk', error: why, failures, requests } as const;
      await store.write.releaseLease({ crawlId: crawl.id, lease: crawl.leaseToken, at: clock.now(), ...pause });
      return pausePriority(until, crawl);
    },
    /** Ends the crawl where it is, unless a control request has to come first, and stores the record. @throws FailedWrite */
    async endCrawl(crawl: StoredCrawl, end: CrawlEnd, record: FetchRecord | undefined): Promise<SliceResult> {
      const stored = await commitRecord(crawl, record, end);
      return stored.end ? { next: 'done' } : await handBack(crawl, 'queued', { next: 'again' });
    },
  };
}

async function orFailedWrite<T>(write: Promise<T>, requests: readonly RequestEntry[]): Promise<T> {
  return await write.catch((error: unknown) => {
    throw new FailedWrite(error, requests);
  });
}
