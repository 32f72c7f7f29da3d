import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY, systemClock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import { type DateWindow, startOfDay } from '../../engine/search/date-windows.ts';
import { readDateWindow } from '../../engine/search/window-crawl.ts';
import { UsageError } from '../../errors.ts';
import { createCrawlSpec, type CrawlSpec, parseCrawlOptions, type Estimate } from '../../kinds/crawl-spec.ts';
import { isSuccessState } from '../../kinds/end-states.ts';
import { getKind } from '../../kinds/kinds.ts';
import { parseAccount } from '../../kinds/target.ts';
import type { PlanTotals } from '../../planning/plan.ts';
import type { CrawlRow } from '../../store/schema/crawl-row.ts';
import type { StoreReads } from '../../store/store-reads.ts';
import { openStore } from '../../store/store.ts';
import { getConfig } from '../context.ts';
import { crawlInProcess, type CrawlRunOptions, crawlSilently, type CrawlStages } from '../crawl/run.ts';
import { hint } from '../shared/command-hints.ts';
import { EXIT } from '../shared/common-options.ts';
import { print, printJson, printNote } from '../terminal/output.ts';
import { formatDay, toIso } from '../terminal/times.ts';
import {
  isFullySearched,
  isIncomplete,
  planSearchBackfill,
  planTimelineBackfill,
  type SearchBackfillPlan,
  buildSearchSpecs,
  type TimelineBackfillPlan,
} from './backfill-plan.ts';
import * as report from './report.ts';

interface BackfillOptions extends CrawlRunOptions {
  readonly until?: number;
  readonly window?: number;
  readonly dryRun?: true;
}

/** The stages and texts of one type of backfill. */
interface Backfill extends CrawlStages {
  first(read: StoreReads): readonly CrawlSpec[];
  formatPlan(read: StoreReads): readonly string[];
  toPlanJson(read: StoreReads): object;
}

/** Collects what is missing of a range. Returns the exit code. */
export async function runBackfill(
  what: 'timeline' | 'search',
  target: string,
  options: BackfillOptions,
): Promise<number> {
  const now = systemClock.now();
  const { window, db, json, dryRun } = options;
  if (options.since !== undefined && options.since >= now) throw new UsageError('--since is in the future');
  if (window !== undefined && (window % DAY !== 0 || window === 0)) {
    throw new UsageError('--window must be a number of whole days, such as 7d');
  }
  const config = getConfig();
  const since = options.since ?? (await readCreationDay(target, options, config));
  const until = Math.min(options.until ?? now, now);
  if (until <= since) {
    const start = options.since === undefined ? `the creation of the account (${formatDay(since)})` : '--since';
    throw new UsageError(`--until must be later than ${start}`);
  }
  const range: Range = {
    wanted: { from: since, to: until },
    days: window === undefined ? undefined : window / DAY,
    isWhole: dryRun ?? false,
  };
  const backfill = what === 'search' ? createSearchBackfill(target, range) : createTimelineBackfill(target, range);
  const { specs, plan, done } = await prepare(backfill, options);
  if (dryRun) {
    const request = { backfill: what, target, since: toIso(since), until: toIso(until) };
    if (json) printJson({ ...request, ...plan.fields });
    else print(plan.lines.join('\n'));
    return EXIT.complete;
  }
  if (specs.length > 0) {
    if (!options.quiet) for (const line of plan.lines) printNote(line);
    return await crawlInProcess(specs, { ...options, needsConfirmation: true }, config, backfill);
  }
  if (json) printJson({ crawls: [], unfinished: 0, durationMs: 0, db, ...done.fields });
  else print(['nothing left to do', ...done.lines].join('\n'));
  return done.isPartial ? EXIT.partial : EXIT.complete;
}

/**
 * Returns the day on which an account was created. Fetches its profile if the store does not have it, except in a dry
 * run. @throws UsageError if the day is unknown.
 */
async function readCreationDay(typed: string, options: BackfillOptions, config: Config): Promise<number> {
  const profile = createCrawlSpec({ kind: 'profile', target: typed, priority: 'backfill' });
  const account = parseAccount(profile.target);
  const { db, dryRun } = options;
  const read = async (): Promise<number | null | undefined> => {
    if (!existsSync(db)) return undefined;
    await using store = openStore(db);
    return ('id' in account ? store.read.userById(account.id) : store.read.userByHandle(account.handle))?.createdAt;
  };
  let createdAt = await read();
  if (createdAt == null && !dryRun) {
    await crawlSilently([profile], options, config);
    createdAt = await read();
  }
  if (createdAt != null) return startOfDay(createdAt);
  throw new UsageError(`it is unknown when the account ${typed} was created`, {
    hint: `Give --since${dryRun ? `, or fetch the profile first: ${hint('crawl', `profile ${typed}`)}` : ''}.`,
  });
}

/** Reads plan, crawls and result from the store. A dry run without one uses a temporary store. */
async function prepare(backfill: Backfill, { db, dryRun }: Pick<BackfillOptions, 'db' | 'dryRun'>) {
  const folder = dryRun && !existsSync(db) ? mkdtempSync(join(tmpdir(), 'trawl-plan-')) : undefined;
  try {
    await using store = openStore(folder === undefined ? db : join(folder, 'plan.db'));
    const { read } = store;
    const plan = { lines: backfill.formatPlan(read), fields: backfill.toPlanJson(read) };
    return { plan, specs: backfill.first(read), done: backfill.readOutcome(read) };
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true });
  }
}

interface Range {
  readonly wanted: DateWindow;
  readonly days: number | undefined;
  readonly isWhole: boolean;
}

function createSearchBackfill(typed: string, { wanted, days, isWhole }: Range): Backfill {
  if (/(^|\s)(since|until):/i.test(typed)) {
    throw new UsageError('the search string contains since: or until:', {
      hint: 'Use --since and --until instead.',
    });
  }
  const query = createCrawlSpec({ kind: 'search', target: typed, priority: 'backfill' }).target;
  const plan = (read: StoreReads): SearchBackfillPlan => planSearchBackfill(read, { query, wanted: [wanted], days });
  const searches = createSearches();
  return {
    first: (read) => searches.next(read, plan(read), []),
    nextSpecs: (read, rows) => searches.next(read, plan(read), rows),
    estimate: (read) => toTotals(report.estimateSearches(read, plan(read))),
    formatPlan: (read) => report.formatSearchPlan(read, plan(read), isWhole),
    toPlanJson: (read) => report.toSearchPlanJson(read, plan(read)),
    readOutcome(read) {
      const now = plan(read);
      return {
        lines: report.formatSearchResult(now),
        fields: { backfill: report.toSearchResultJson(now) },
        isPartial: !isFullySearched(now) || isIncomplete(now),
      };
    },
  };
}

/** Windows create child crawls, which are concurrent. */
const toTotals = (requests: Estimate): PlanTotals => ({ crawls: 1, requests, longest: 0, hasChildren: true });

/** Crawls the timeline as far as it reaches or is needed, then searches for the rest. */
function createTimelineBackfill(typed: string, { wanted, days, isWhole }: Range): Backfill {
  const { kind, target: account, handle } = createCrawlSpec({ kind: 'timeline', target: typed, priority: 'backfill' });
  const searches = createSearches();
  let timeline: CrawlRow | undefined;
  let isRepeated = false;
  const plan = (read: StoreReads): TimelineBackfillPlan =>
    planTimelineBackfill(read, { account, handle, wanted, days }, timeline);
  const search = (read: StoreReads, rows: readonly CrawlRow[]): readonly CrawlSpec[] => {
    const { search: then } = plan(read);
    return then ? searches.next(read, then, rows) : [];
  };
  return {
    first(read) {
      const { timelineCrawl } = plan(read);
      return timelineCrawl ? [timelineCrawl] : search(read, []);
    },
    nextSpecs(read, rows) {
      timeline = rows.findLast((row) => row.kind === kind && row.target === account);
      // Searches would fail for the same reason: no service, no account or no budget.
      if (
        timeline &&
        (!['complete', 'capped', 'partial'].includes(timeline.state) || timeline.reason === 'max_requests')
      )
        return [];
      // A resumed crawl does not cover what was written since it began.
      if (timeline && isSuccessState(timeline) && !isRepeated && (timeline.startedAt ?? 0) < wanted.to) {
        isRepeated = true;
        const { timelineCrawl } = planTimelineBackfill(read, { account, handle, wanted, days });
        if (timelineCrawl) return [timelineCrawl];
      }
      return search(read, rows);
    },
    estimate: (read) => toTotals(report.estimateTimeline(read, plan(read))),
    formatPlan: (read) => report.formatTimelinePlan(read, plan(read), isWhole),
    toPlanJson: (read) => report.toTimelinePlanJson(read, plan(read)),
    readOutcome(read) {
      const now = plan(read);
      return {
        lines: report.formatTimelineResult(now),
        fields: { backfill: report.toTimelineResultJson(now) },
        isPartial: now.gaps.length > 0 || (now.search !== undefined && isIncomplete(now.search)),
      };
    },
  };
}

/** Issues the searches of a plan once. The next run repeats those that fail. */
function createSearches() {
  let isMeasured = false;
  let isSent = false;
  return {
    next(read: StoreReads, plan: SearchBackfillPlan, rows: readonly CrawlRow[]): readonly CrawlSpec[] {
      if (isSent || isFullySearched(plan)) return [];
      isMeasured ||= rows.some(
        (row) =>
          getKind(row.kind).targetType === 'query' &&
          row.target === plan.query &&
          !readDateWindow(parseCrawlOptions(row)),
      );
      const specs = buildSearchSpecs(read, plan, isMeasured);
      isSent = specs.some(({ options }) => options !== '{}');
      return specs;
    },
  };
}
