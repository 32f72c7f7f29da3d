import { systemClock } from '../../base/clock.ts';
import type { Config } from '../../config.ts';
import type { QuotaOutlook } from '../../service/quota/forecast.ts';
import { computeHeadrooms, type Priority } from '../../service/quota/priorities.ts';
import { computeMinWindowMs, type QuotaSample } from '../../service/quota/quota-policy.ts';
import { hashKey, type ServiceKey } from '../../service/quota/service-key.ts';
import type { PlanningQueries } from '../../store/planning-reads.ts';
import type { PlanReport } from './forecast-requests.ts';
import { connectToQueue } from './queue/queue-connection.ts';

interface OutlookOptions {
  readonly facts: PlanningQueries;
  readonly config: Config;
  readonly service: ServiceKey;
  readonly priority: Priority;
}

/**
 * Returns the quota of a key for a forecast, from the samples of that key.
 *
 * @param sample the current sample of token-info.
 * @param minWindowMs a lower bound of the window's length from another source, in milliseconds.
 */
export async function readOutlook(
  sample: QuotaSample,
  { facts, config, service, priority }: OutlookOptions,
  minWindowMs = 0,
): Promise<QuotaOutlook> {
  const { limit, remaining, resetAt } = sample;
  const samples = [...(await facts.quotaSamples(hashKey(service))), sample].filter((one) => one.limit === limit);
  return {
    limit,
    remaining,
    resetAt,
    headroom: computeHeadrooms(limit, config.reserve, config.headroomShares)[priority],
    windowMs: Math.max(minWindowMs, ...samples.map(computeMinWindowMs)) || undefined,
  };
}

/** Requests token-info for a forecast without a governor. @throws ServiceError if the service does not report the quota. */
export async function requestOutlook(
  options: OutlookOptions & { readonly db: string; readonly storeId: string | undefined },
  signal?: AbortSignal,
): Promise<Pick<PlanReport, 'outlook' | 'requestMs'>> {
  const { facts, config, service } = options;
  const { apiUrl, apiKey } = service;
  // Loaded only for commands that send requests.
  const { createClient } = await import('../../service/client/client.ts');
  await using client = createClient({ baseUrl: apiUrl, apiKey, method: config.method });
  const sample = await client.tokenInfo(signal);
  const tookMs = systemClock.now() - sample.at;
  const outlook = await readOutlook(sample, options, await readWindowFromLedger(options));
  return { outlook, requestMs: (await facts.meanRequestMs()) ?? Math.max(1, tookMs) };
}

/** The minimum length of the window in ms, from the ledger that all workers of the key share. */
async function readWindowFromLedger(options: {
  readonly config: Config;
  readonly db: string;
  readonly storeId: string | undefined;
}): Promise<number | undefined> {
  const { storeId } = options;
  if (storeId === undefined) return undefined;
  try {
    await using queue = await connectToQueue({ ...options, storeId });
    const state = await queue?.readQuota();
    return state?.limitSource === 'token-info' ? state.windowMs : undefined;
  } catch {
    // A plan without this bound is still useful.
    return undefined;
  }
}
