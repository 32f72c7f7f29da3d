import type { ReadTable } from '../../reader/read.ts';
import { readOverviewData } from './read-overview.ts';

/** The reads of the page Overview. `/api/live` sends the first one again whenever it changes. */
export const OVERVIEW_READS: ReadTable = {
  '/api/overview': readOverviewData,
};
