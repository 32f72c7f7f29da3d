import { systemClock } from '#base/clock.ts';
import { planCrawls, sumPlans } from '#crawl/planning/plan.ts';
import type { KindName } from '#service/kinds/kinds.ts';
import { computeRequestsPerWindow } from '#service/quota/forecast.ts';
import { createConfig, parseService } from './create-config.ts';
import { readRequestedSpecs } from './requested-specs.ts';
import { forecastRequests, requestOutlook } from './run/forecast-requests.ts';
import { DEFAULT_CONCURRENCY } from './run/run-defaults.ts';
import { getStoreHandle, withTypedErrors } from './store-handle.ts';
import type { Plan, PlanRequest } from './types.ts';

/**
 * Estimates the cost of crawls from stored data. With `service`, it requests token-info, which costs no quota.
 *
 * @throws UsageError if an argument is invalid; ServiceError if `service` does not report its quota.
 */
export function plan(request: PlanRequest): Promise<Plan> {
  return withTypedErrors(() => planAll(request));
}

async function planAll(request: PlanRequest): Promise<Plan> {
  const { into, service, redis, priority = 'interactive', concurrency = DEFAULT_CONCURRENCY, signal } = request;
  const { store } = getStoreHandle(into);
  const specs = readRequestedSpecs(request, priority);
  const facts = store.planningQueries();
  const quota =
    service &&
    (await requestOutlook(
      {
        facts,
        config: createConfig(into.path, {
          service,
          redis,
        }),
        service: parseService(service),
        priority,
        db: into.path,
        storeId: store.id,
      },
      signal,
    ));
  const now = systemClock.now();
  const plans = await planCrawls(specs, facts, now);
  const totals = await sumPlans(plans);
  const { outlook, requestMs } = quota ?? { outlook: undefined, requestMs: undefined };
  const { expected, min } = forecastRequests({ totals, outlook, requestMs, concurrency, now });
  const forecast = expected ?? min;
  return {
    requests: totals.requests,
    crawls: plans.map(({ spec, requests }) => ({ kind: spec.kind as KindName, target: spec.target, requests })),
    quota: outlook && {
      limit: outlook.limit,
      remaining: outlook.remaining,
      requestsPerWindow: computeRequestsPerWindow(outlook),
    },
    finish: forecast && {
      earliest: toDate(forecast.earliestAt),
      latest: totals.requests.max === null ? null : toDate(forecast.finishAt),
      windows: forecast.windows,
    },
  };
}

const toDate = (at: number | undefined): Date | null => (at === undefined ? null : new Date(at));
