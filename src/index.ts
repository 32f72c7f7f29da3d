/**
 * The library of trawl. It installs no signal handlers, never exits the process, prints nothing and reads no environment
 * variables. Stores, runs, workers and servers have `close()`, and `Symbol.asyncDispose` for `await using`.
 */

export { openLibraryStore as openStore } from './library/open-store.ts';
export { crawl } from './library/crawl.ts';
export { enqueue } from './library/enqueue.ts';
export { work } from './library/work.ts';
export { plan } from './library/plan.ts';
export { serve } from './library/serve.ts';
export { exportTable } from './library/export-table.ts';
export { chart, find, query, readCoverage as coverage, report, status } from './library/answers.ts';
export {
  BadRequestError,
  ContractError,
  FileReplacedError,
  NotFoundError,
  QuotaExceededError,
  ServiceError,
  StoreError,
  TransientError,
  TrawlError,
  UnauthorizedError,
  UsageError,
} from './base/errors.ts';
export type * from './library/types.ts';
export type * from './library/answer-types.ts';
export type * from './analysis/answer.ts';
export type * from './analysis/coverage/coverage-model.ts';
export type * from './analysis/status/status-model.ts';
export type { TimeRange } from './base/time-ranges.ts';
