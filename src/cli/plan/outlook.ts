import { keyHashOf } from '../../composition.ts';
import type { Config } from '../../config.ts';
import type { Outlook } from '../../quota/estimation/forecast.ts';
import { sentLately } from '../../quota/estimation/quota-record.ts';
import { learnWindow } from '../../quota/estimation/window-estimation.ts';
import type { QuotaSample } from '../../quota/policy.ts';
import { floorsOf, type QuotaClass } from '../../quota/priorities.ts';
import type { PlanFacts } from '../../store/plan-facts.ts';

/** What a plan knows of the quota of the key at hand: only samples of that key count. */
export function readOutlook(options: {
  /** What token-info has just said. */
  readonly sample: QuotaSample;
  readonly facts: PlanFacts;
  readonly service: { readonly apiUrl: string; readonly apiKey: string };
  readonly config: Pick<Config, 'reserve' | 'shares'>;
  readonly class: QuotaClass;
  /** A lower bound of the window's length from elsewhere, in milliseconds. */
  readonly leastMs?: number | undefined;
}): Outlook {
  const { sample, facts, service, config, leastMs } = options;
  const { limit, remaining, resetAt } = sample;
  const stored = facts.quota(keyHashOf(service));
  const samples = [...stored.samples.filter(({ at }) => at < sample.at), sample];
  const record = { ...stored, samples };
  const floor = floorsOf(limit, config.reserve, config.shares)[options.class];
  return { limit, remaining, resetAt, floor, window: learnWindow(record, leastMs), spentAt: sentLately(record) };
}
