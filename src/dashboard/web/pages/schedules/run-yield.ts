import type { JobYield } from '../../../server/api/schedules.ts';
import { formatFigure } from '../../format-numbers.ts';

/** Formats new items and changes of known ones per request: `12.3`; a dash without a request. */
export function formatYield({ requests, newItems, changes }: JobYield): string {
  if (requests === 0) return '–';
  const value = (newItems + changes) / requests;
  return value > 0 && value < 0.05 ? '<0.1' : formatFigure(value);
}
