import type { ReadTable } from '../../reader/read.ts';
import { readFieldRates } from './read-field-rates.ts';
import { readQuality } from './read-quality.ts';

/** The reads of the page Quality. */
export const QUALITY_READS: ReadTable = {
  '/api/quality': readQuality,
  '/api/quality/fields': readFieldRates,
};
