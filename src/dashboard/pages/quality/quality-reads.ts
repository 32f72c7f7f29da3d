import type { ReadTable } from '../../reader/read.ts';
import { listChecks, runCheck } from './checks.ts';
import { readFieldRates } from './read-field-rates.ts';
import { readQuality } from './read-quality.ts';

/** The reads of the page Quality. */
export const QUALITY_READS: ReadTable = {
  '/api/quality': readQuality,
  '/api/quality/fields': readFieldRates,
  '/api/quality/checks': listChecks,
};

/** A check may read the whole file of a store. */
export const CHECK_READS: ReadTable = { '/api/quality/checks/:check': runCheck };
