import type { ReadTable } from '../../reader/read.ts';
import { readFound } from './read-found.ts';

/** The reads of the page Find. */
export const FIND_READS: ReadTable = { '/api/find': readFound };
