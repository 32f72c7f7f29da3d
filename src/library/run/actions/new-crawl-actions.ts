import { systemClock } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import { planEach, sumPlans } from '#crawl/planning/plan.ts';
import type { NewCrawlPlan } from '#dashboard/server/api/new-crawl.ts';
import type { ActionTable } from '#dashboard/server/http/actions.ts';
import { type CrawlRequestOptions, readRequestedCrawls, type RequestedCrawls } from '#library/run/requested-crawls.ts';
import { isKind, KIND_NAMES, kindTable } from '#service/kinds/kinds.ts';
import { PRIORITIES } from '#service/quota/priorities.ts';
import type { Store } from '#store/store.ts';
import { type ActionParts, queueConfirmedCrawls } from './queue-confirmed-crawls.ts';

/** Plans and queues new crawls for a page of the dashboard, as `trawl plan` and `trawl enqueue` do. */
export function createNewCrawlActions(parts: ActionParts): ActionTable {
  const { store } = parts;
  return {
    'crawls/plan': async (input): Promise<NewCrawlPlan> => {
      const skipped: string[] = [];
      // A hint is on a line of its own.
      const requested = readRequest(store, input, (fault) => skipped.push(fault.replaceAll(/\n\s*/g, '. ')));
      const { specs } = requested;
      const plans = planEach(specs, store.planningQueries(), systemClock.now());
      const { requests } = await sumPlans(plans);
      return { crawls: specs.size, ...requests, skipped };
    },
    'crawls/create': async (input) => {
      const requested = readRequest(store, input, () => undefined);
      const { size } = requested.specs;
      if (size !== (input as { expected?: unknown }).expected)
        throw new UsageError(`nothing was queued: the plan had another number of crawls than ${size}; plan again`);
      return await queueConfirmedCrawls(requested.specs, parts);
    },
  };
}

/** @throws UsageError for a wrong request, or without a valid target */
function readRequest(store: Store, input: unknown, onSkipped: (fault: string) => void): RequestedCrawls {
  const { kind, targets, priority, maxPages, since } = (input ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof kind !== 'string' || !Array.isArray(targets) || !targets.every((one) => typeof one === 'string'))
    throw new UsageError('a new crawl needs a kind and targets');
  const chosen = PRIORITIES.find((one) => one === priority);
  if (chosen === undefined) throw new UsageError(`priority must be one of ${PRIORITIES.join(', ')}`);
  const options = { maxPages: parseLimit(maxPages), since: parseDay(since) };
  checkForm(kind, targets, options);
  return readRequestedCrawls({ kind, targets, priority: chosen, db: store.path }, options, onSkipped);
}

/** Says in the words of the form what commands say in the words of their options. @throws UsageError */
function checkForm(kind: string, targets: readonly string[], { maxPages, since }: CrawlRequestOptions): void {
  if (targets.every((target) => target.trim() === '')) throw new UsageError('name at least one target');
  if (!isKind(kind)) throw new UsageError(`kind must be one of ${KIND_NAMES.join(', ')}`);
  const { supportedOptions } = kindTable[kind];
  if (maxPages !== undefined && !supportedOptions.includes('maxPages'))
    throw new UsageError(`crawls of the kind ${kind} have no page limit`);
  if (since === undefined) return;
  if (!supportedOptions.includes('since')) throw new UsageError(`crawls of the kind ${kind} have no first day`);
  if (since >= systemClock.now()) throw new UsageError('the first day is in the future');
}

function parseLimit(value: unknown): number | undefined {
  if (value == null) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  throw new UsageError('the page limit must be a whole number from 1');
}

/** @param value a day in UTC: `2025-01-31` */
function parseDay(value: unknown): number | undefined {
  if (value == null) return undefined;
  const at = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) : NaN;
  if (Number.isNaN(at)) throw new UsageError('the first day must be a date, such as 2025-01-31');
  return at;
}
