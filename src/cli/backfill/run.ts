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
import type { CrawlRow } from '../../store/schema/crawl-row.ts';
import type { StoreReads } from '../../store/store-reads.ts';
import { openStore } from '../../store/store.ts';
import { getConfig } from '../context.ts';
import type { CommandOutcome } from '../crawl/report.ts';
import { crawlInProcess, type CrawlRunOptions, crawlSilently, type CrawlStages } from '../crawl/run.ts';
import { hint } from '../shared/command-hints.ts';
import { EXIT } from '../shared/common-options.ts';
import { findAccount } from '../targets/find-account.ts';
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

/** The stages of a timeline or search backfill. */
interface Backfill extends Pick<CrawlStages, 'nextSpecs'> {
  firstSpecs(read: StoreReads): readonly CrawlSpec[];
  readReport(read: StoreReads): BackfillReport;
}

/** What is still to be done, and the result so far. */
interface BackfillReport {
  readonly plan: { readonly lines: readonly string[]; readonly fields: object };
  readonly requests: Estimate;
  readonly outcome: CommandOutcome;
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
    listsAll: dryRun ?? false,
  };
  const backfill = what === 'search' ? createSearchBackfill(target, range) : createTimelineBackfill(target, range);
  const { specs, plan, outcome } = await prepare(backfill, options);
  if (dryRun) {
    const request = { backfill: what, target, since: toIso(since), until: toIso(until) };
    if (json) printJson({ ...request, ...plan.fields });
    else print(plan.lines.join('\n'));
    return EXIT.complete;
  }
  if (specs.length > 0) {
    if (!options.quiet) for (const line of plan.lines) printNote(line);
    return await crawlInProcess(specs, { ...options, needsConfirmation: true }, config, {
      ...backfill,
      // Windows create child crawls, which are concurrent.
      estimate: (read) => ({ crawls: 1, requests: backfill.readReport(read).requests, longest: 0, hasChildren: true }),
      readOutcome: (read) => backfill.readReport(read).outcome,
    });
  }
  if (json) printJson({ crawls: [], unfinished: 0, durationMs: 0, db, ...outcome.fields });
  else print(['nothing left to do', ...outcome.lines].join('\n'));
  return outcome.isPartial ? EXIT.partial : EXIT.complete;
}

/**
 * Returns the day on which an account was created. Fetches its profile if the store does not have it, except in a dry
 * run. @throws UsageError if the day is unknown.
 */
async function readCreationDay(typed: string, options: BackfillOptions, config: Config): Promise<number> {
  const profile = createCrawlSpec({ kind: 'profile', target: typed, priority: 'backfill' });
  const { db, dryRun } = options;
  const read = async (): Promise<number | null | undefined> => {
    if (!existsSync(db)) return undefined;
    await using store = openStore(db);
    return findAccount(store.read, profile.target)?.createdAt;
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
    return { ...backfill.readReport(store.read), specs: backfill.firstSpecs(store.read) };
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true });
  }
}

interface Range {
  readonly wanted: DateWindow;
  readonly days: number | undefined;
  /** Whether the plan lists all windows. */
  readonly listsAll: boolean;
}

function createSearchBackfill(typed: string, { wanted, days, listsAll }: Range): Backfill {
  if (/(^|\s)(since|until):/i.test(typed)) {
    throw new UsageError('the search string contains since: or until:', {
      hint: 'Use --since and --until instead.',
    });
  }
  const query = createCrawlSpec({ kind: 'search', target: typed, priority: 'backfill' }).target;
  const plan = (read: StoreReads): SearchBackfillPlan => planSearchBackfill(read, { query, wanted: [wanted], days });
  const searches = createSearches();
  return {
    firstSpecs: (read) => searches.next(plan(read), []),
    nextSpecs: (read, rows) => searches.next(plan(read), rows),
    readReport(read) {
      const now = plan(read);
      return {
        plan: { lines: report.formatSearchPlan(now, listsAll), fields: report.toSearchPlanJson(now) },
        requests: report.estimateSearches(now),
        outcome: {
          lines: report.formatSearchResult(now),
          fields: { backfill: report.toSearchResultJson(now) },
          isPartial: !isFullySearched(now) || isIncomplete(now),
        },
      };
    },
  };
}

/** Crawls the timeline as far as it reaches or is needed, then searches for the rest. */
function createTimelineBackfill(typed: string, { wanted, days, listsAll }: Range): Backfill {
  const { kind, target: account, handle } = createCrawlSpec({ kind: 'timeline', target: typed, priority: 'backfill' });
  const searches = createSearches();
  let timeline: CrawlRow | undefined;
  let isRepeated = false;
  const plan = (read: StoreReads): TimelineBackfillPlan =>
    planTimelineBackfill(read, { account, handle, wanted, days }, timeline);
  const search = (read: StoreReads, rows: readonly CrawlRow[]): readonly CrawlSpec[] => {
    const { search: then } = plan(read);
    return then ? searches.next(then, rows) : [];
  };
  return {
    firstSpecs(read) {
      const { timelineCrawl } = plan(read);
      return timelineCrawl ? [timelineCrawl] : search(read, []);
    },
    nextSpecs(read, rows) {
      timeline = rows.findLast((row) => row.kind === kind && row.target === account);
      // Searches would fail for the same reason: no service, no account or no budget.
      const isUseful = !timeline || ['complete', 'capped', 'partial'].includes(timeline.state);
      if (!isUseful || timeline?.reason === 'max_requests') return [];
      // A resumed crawl does not cover what was written since it began.
      if (timeline && isSuccessState(timeline) && !isRepeated && (timeline.startedAt ?? 0) < wanted.to) {
        isRepeated = true;
        const { timelineCrawl } = planTimelineBackfill(read, { account, handle, wanted, days });
        if (timelineCrawl) return [timelineCrawl];
      }
      return search(read, rows);
    },
    readReport(read) {
      const now = plan(read);
      return {
        plan: { lines: report.formatTimelinePlan(now, listsAll), fields: report.toTimelinePlanJson(now) },
        requests: report.estimateTimeline(now),
        outcome: {
          lines: report.formatTimelineResult(now),
          fields: { backfill: report.toTimelineResultJson(now) },
          isPartial: now.gaps.length > 0 || (now.search !== undefined && isIncomplete(now.search)),
        },
      };
    },
  };
}

/** Issues the searches of a plan once. The next run repeats those that fail. */
function createSearches() {
  let isProbed = false;
  let isSent = false;
  return {
    next(plan: SearchBackfillPlan, rows: readonly CrawlRow[]): readonly CrawlSpec[] {
      if (isSent || isFullySearched(plan)) return [];
      isProbed ||= rows.some(
        (row) =>
          getKind(row.kind).targetType === 'query' &&
          row.target === plan.query &&
          !readDateWindow(parseCrawlOptions(row)),
      );
      const specs = buildSearchSpecs(plan, isProbed);
      isSent = specs.some(({ options }) => options !== '{}');
      return specs;
    },
  };
}
