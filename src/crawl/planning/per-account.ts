import type { Estimate } from '#service/kinds/crawl-spec.ts';
import { getKind } from '#service/kinds/kinds.ts';
import { createOpenEstimate, ONE, capEstimate } from './estimate.ts';
import type { PlannedList } from './list-items.ts';

/**
 * Estimates the requests of a child crawl of a kind for one account, by earlier crawls of the kind. A profile that was seen
 * lately costs none.
 */
export async function estimateAccountCost(kind: string, { facts, options }: PlannedList): Promise<Estimate> {
  const { isSkippedIfFresh, supportedOptions } = getKind(kind);
  if (isSkippedIfFresh) return { min: 0, expected: 1, max: 1 };
  const limit = supportedOptions.includes('maxPages') ? options.thenMaxPages : undefined;
  if (limit === 1) return ONE;
  const statistics = await facts.kindStatistics(kind);
  const expected = statistics && statistics.crawls > 0 ? statistics.requests / statistics.crawls : null;
  return capEstimate({ ...createOpenEstimate(1), expected }, limit);
}
