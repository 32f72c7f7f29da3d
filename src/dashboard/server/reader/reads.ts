import { ACCOUNT_READS } from '../pages/accounts/account-reads.ts';
import { CRAWL_READS } from '../pages/crawls/crawl-reads.ts';
import { FIND_READS } from '../pages/find/find-reads.ts';
import { NETWORK_READS } from '../pages/network/network-reads.ts';
import { OVERVIEW_READS } from '../pages/overview/overview-reads.ts';
import { QUALITY_READS } from '../pages/quality/quality-reads.ts';
import { QUERY_READS } from '../pages/queries/query-reads.ts';
import { SCHEDULE_READS } from '../pages/schedules/schedule-reads.ts';
import type { ReadTable } from './read.ts';

/** The reads of all pages. Each page has its own table. */
export const READS: ReadTable = {
  ...OVERVIEW_READS,
  ...CRAWL_READS,
  ...ACCOUNT_READS,
  ...NETWORK_READS,
  ...FIND_READS,
  ...QUERY_READS,
  ...SCHEDULE_READS,
  ...QUALITY_READS,
};
