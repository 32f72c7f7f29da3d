import { hashKey } from '../../composition.ts';
import type { Config } from '../../config.ts';
import type { QuotaOutlook } from '../../quota/estimation/forecast.ts';
import { listRecentRequestTimes } from '../../quota/estimation/quota-record.ts';
import { estimateWindow } from '../../quota/estimation/window-estimation.ts';
import type { QuotaSample } from '../../quota/policy.ts';
import { computeHeadrooms, type Priority } from '../../quota/priorities.ts';
import type { PlanningReads } from '../../store/planning-reads.ts';

/** The quota of a key for a forecast, from the samples of that key. */
export function readOutlook(options: {
  /** The current sample of token-info. */
  readonly sample: QuotaSample;
  readonly facts: PlanningReads;
  readonly service: { readonly apiUrl: string; readonly apiKey: string };
  readonly config: Pick<Config, 'reserve' | 'headroomShares'>;
  readonly class: Priority;
  /** A lower bound of the window's length from another source, in milliseconds. */
  readonly leastMs?: number | undefined;
}): QuotaOutlook {
  const { sample, facts, service, config, leastMs } = options;
  const { limit, remaining, resetAt } = sample;
  const stored = facts.quota(hashKey(service));
  const samples = [...stored.samples.filter(({ at }) => at < sample.at), sample];
  const record = { ...stored, samples };
  const floor = computeHeadrooms(limit, config.reserve, config.headroomShares)[options.class];
  return {
    limit,
    remaining,
    resetAt,
    headroom: floor,
    window: estimateWindow(record, leastMs),
    spentAt: listRecentRequestTimes(record),
  };
}
