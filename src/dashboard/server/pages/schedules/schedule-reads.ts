import type { ReadTable } from '../../reader/read.ts';
import { readJobPage } from './read-job-page.ts';
import { readScheduleList } from './read-schedules.ts';

/** The reads of the page Schedules. */
export const SCHEDULE_READS: ReadTable = {
  '/api/schedules': readScheduleList,
  '/api/schedules/:job': readJobPage,
};
