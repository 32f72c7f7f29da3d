import type { JobYield } from '../../../dashboard/api/schedules.ts';
import { formatFigure } from '../../format.ts';

/** New items and changes of known ones per request; null without a request. */
export const computeYield = ({ requests, newItems, changes }: JobYield): number | null =>
  requests === 0 ? null : (newItems + changes) / requests;

/** Formats a yield: `12.3`; a dash without a request. */
export function formatYield(totals: JobYield): string {
  const value = computeYield(totals);
  return value === null ? '–' : value > 0 && value < 0.05 ? '<0.1' : formatFigure(value);
}
