import { systemClock } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import { startOfDay } from '#crawl/search/date-windows.ts';
import type { GapBackfillPlan } from '#dashboard/server/api/backfill.ts';
import type { ActionTable } from '#dashboard/server/http/actions.ts';
import { buildSearchSpecs, planTimelineBackfill, estimateTimeline } from '#library/run/backfill-plan.ts';
import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';
import { openForgottenTargets, requireRemembered } from '#store/erasure/incoming/forgotten-targets.ts';
import type { Store } from '#store/store.ts';
import { type ActionParts, queueConfirmedCrawls } from './queue-confirmed-crawls.ts';

/** Plans and queues the backfill of a gap for a page of the dashboard: the next step of `trawl backfill timeline`. */
export function createBackfillActions(parts: ActionParts): ActionTable {
  const { store } = parts;
  return {
    'backfills/plan': async (input): Promise<GapBackfillPlan> => planGap(store, input).plan,
    'backfills/create': async (input) => {
      const { specs, plan } = planGap(store, input);
      const { step, expected } = input as { readonly step?: unknown; readonly expected?: unknown };
      if (plan.crawls === 0) throw new UsageError('nothing was queued: nothing is left to do');
      if (plan.step !== step || plan.crawls !== expected)
        throw new UsageError('nothing was queued: the plan has changed', { hint: 'Plan it again.' });
      return await queueConfirmedCrawls(specs, parts);
    },
  };
}

/** @throws UsageError for a wrong request, an unknown account or a forgotten one */
function planGap(
  store: Store,
  input: unknown,
): { readonly specs: readonly CrawlSpec[]; readonly plan: GapBackfillPlan } {
  const { restId, from, to } = parseGap(input);
  const user = store.read.userById(restId);
  if (!user) throw new UsageError('there is no such account');
  const plan = planTimelineBackfill(store.read, {
    account: `id:${restId}`,
    handle: user.screenName,
    wanted: {
      from: startOfDay(from),
      to,
    },
    days: undefined,
  });
  const { timelineCrawl, search } = plan;
  const specs = timelineCrawl ? [timelineCrawl] : search ? buildSearchSpecs(search, false) : [];
  using forgotten = openForgottenTargets(store.path);
  requireRemembered(specs, forgotten.isForgotten);
  const isProbe = !timelineCrawl && search?.needsProbe === true;
  const step = specs.length === 0 ? null : timelineCrawl ? 'timeline' : isProbe ? 'page size' : 'search';
  return { specs, plan: { step, crawls: specs.length, ...estimateTimeline(plan) } };
}

function parseGap(input: unknown): { readonly restId: string; readonly from: number; readonly to: number } {
  const { restId, from, to } = (input ?? {}) as Readonly<Record<string, unknown>>;
  const isTime = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
  if (typeof restId !== 'string' || !isTime(from) || !isTime(to) || from >= to)
    throw new UsageError('name a gap by restId, from and to in milliseconds UTC');
  return { restId, from, to: Math.min(to, systemClock.now()) };
}
