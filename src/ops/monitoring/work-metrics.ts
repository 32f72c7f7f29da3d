import { Counter, Histogram, type Registry } from 'prom-client';
import type { QuotaEvent } from '#service/quota/ledger/quota-events.ts';
import type { CommitResult, SubmittedPage } from '#store/schema/commit-messages.ts';

/** Receives the requests, commits and quota events of a worker. */
export interface WorkObserver {
  /** Records a request that was sent. @param status undefined without a response */
  recordRequest(endpoint: string, status: number | undefined): void;
  /** Records a committed page. @param seconds the time until the page is on disk, including the wait for the writer */
  recordCommit(page: Pick<SubmittedPage, 'progress'>, result: CommitResult, seconds: number): void;
  /** Records a change of the quota that this worker detected first. */
  recordQuotaEvent(event: QuotaEvent): void;
}

const COMMIT_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Registers the counters of this process, which start at 0. */
export function createWorkMetrics(registry: Registry): WorkObserver {
  const registers = [registry];
  const requests = new Counter({
    name: 'trawl_requests_total',
    help: 'Requests sent to the service, by endpoint and HTTP status (none: no response).',
    labelNames: ['endpoint', 'status'],
    registers,
  });
  const pages = new Counter({ name: 'trawl_pages_total', help: 'Pages of crawls committed to the store.', registers });
  const rows = new Counter({
    name: 'trawl_rows_total',
    help: 'Rows of committed pages, by type (users, tweets, follows, rejects), including rows that the store already has.',
    labelNames: ['type'],
    registers,
  });
  const newItems = new Counter({
    name: 'trawl_new_items_total',
    help: 'Items of committed pages that the store did not have.',
    registers,
  });
  const commits = new Histogram({
    name: 'trawl_commit_duration_seconds',
    help: 'Time to commit a page, including the wait for the writer thread.',
    buckets: COMMIT_BUCKETS,
    registers,
  });
  const pauses = new Counter({
    name: 'trawl_quota_pauses_total',
    help: 'Pauses for the quota that this worker detected first, by priority (all: refused by the service) and reason.',
    labelNames: ['priority', 'reason'],
    registers,
  });

  return {
    recordRequest: (endpoint, status) => requests.inc({ endpoint, status: status ?? 'none' }),
    recordCommit({ progress }, { newItems: added, rowCounts }, seconds) {
      pages.inc(progress.pages);
      for (const [type, count] of Object.entries(rowCounts)) rows.inc({ type }, count);
      newItems.inc(added);
      commits.observe(seconds);
    },
    recordQuotaEvent(event) {
      if (event.event === 'paused') pauses.inc({ priority: event.priority, reason: event.reason });
    },
  };
}
