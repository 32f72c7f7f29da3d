import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTargetsFromPanel } from '#analysis/crawl-targets.ts';
import { DAY, systemClock } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import { listFirst } from '#base/text.ts';
import { getConfig } from '#cli/context.ts';
import { crawlInProcess, type CrawlRunOptions, crawlSilently } from '#cli/crawl/run.ts';
import { EXIT } from '#cli/shared/common-options.ts';
import { findAccount } from '#cli/targets/find-account.ts';
import { printPanelNotes } from '#cli/targets/panel-notes.ts';
import { hint, print, printJson, printMessage, printNote, formatDay } from '#cli/terminal/print.ts';
import type { Config } from '#config.ts';
import { type DateWindow, startOfDay } from '#crawl/search/date-windows.ts';
import { readDateWindow } from '#crawl/search/window-crawl.ts';
import {
  isFullySearched,
  isIncomplete,
  planSearchBackfill,
  planTimelineBackfill,
  type SearchBackfillPlan,
  buildSearchSpecs,
  type TimelineBackfillPlan,
  estimateSearches,
  estimateTimeline,
} from '#library/run/backfill-plan.ts';
import { createCrawlSpec, type CrawlSpec, parseCrawlOptions } from '#service/kinds/crawl-spec.ts';
import { isSuccessState } from '#service/kinds/decide-end.ts';
import { getKind } from '#service/kinds/kinds.ts';
import { formatTarget } from '#service/kinds/target.ts';
import { openForgottenTargets, requireRemembered } from '#store/erasure/incoming/forgotten-targets.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { StoreReads } from '#store/store-reads.ts';
import { openStore } from '#store/store.ts';
import { type AccountBackfill, type Backfill, combineBackfills } from './backfill.ts';
import * as report from './report.ts';

interface BackfillOptions extends CrawlRunOptions {
  readonly until?: number;
  readonly window?: number;
  readonly dryRun?: true;
}

/** An account or a search string as typed, or the id of a member of a panel, with its handle if that is known. */
interface BackfillTarget {
  readonly typed: string;
  readonly handle?: string | undefined;
}

/** Collects what is missing of a range. Returns the exit code. */
export async function runBackfill(
  what: 'timeline' | 'search',
  typed: string | undefined,
  options: BackfillOptions,
): Promise<number> {
  const now = systemClock.now();
  const { window, db, json, dryRun, panel } = options;
  if (options.since !== undefined && options.since >= now) throw new UsageError('--since is in the future');
  if (window !== undefined && (window % DAY !== 0 || window === 0)) {
    throw new UsageError('--window must be a number of whole days, such as 7d');
  }
  const config = getConfig();
  const until = Math.min(options.until ?? now, now);
  const accounts = await createBackfills(what, listTargets(typed, options), until, options, config);
  const backfill = panel === undefined ? accounts[0]!.backfill : combineBackfills(accounts);
  const { specs, plan, outcome } = await prepare(backfill, options);
  if (dryRun) {
    const request = panel === undefined ? accounts[0]!.request : { panel };
    if (json) printJson({ backfill: what, ...request, until, ...plan.fields });
    else print(plan.lines.join('\n'));
    await printPanelNotes(options);
    return EXIT.complete;
  }
  if (specs.length > 0) {
    for (const line of plan.lines) printNote(line);
    return await crawlInProcess(specs, { ...options, needsConfirmation: true }, config, {
      ...backfill,
      // Windows create child crawls, which are concurrent.
      estimate: (read) => ({
        crawls: accounts.length,
        requests: backfill.readReport(read).requests,
        longest: 0,
        hasChildren: true,
      }),
      readOutcome: (read) => backfill.readReport(read).outcome,
    });
  }
  if (json) printJson({ crawls: [], unfinished: 0, durationMs: 0, db, ...outcome.fields });
  else print(['nothing left to do', ...outcome.lines].join('\n'));
  return outcome.isPartial ? EXIT.partial : EXIT.complete;
}

/** @throws UsageError if there is no target, or if the panel is unknown or empty */
function listTargets(typed: string | undefined, { db, panel }: BackfillOptions): BackfillTarget[] {
  if (typed === undefined && panel === undefined)
    throw new UsageError('no account', { hint: 'Give an account or --panel.' });
  const members = panel === undefined ? [] : readTargetsFromPanel(db, panel);
  return [
    ...(typed === undefined ? [] : [{ typed }]),
    ...members.map(({ target, handle }) => ({ typed: target, handle })),
  ];
}

/** Creates a backfill per target. Without --since, an account that was created after the range is skipped. */
async function createBackfills(
  what: 'timeline' | 'search',
  targets: readonly BackfillTarget[],
  until: number,
  options: BackfillOptions,
  config: Config,
): Promise<AccountBackfill[]> {
  const { since, window, dryRun, panel } = options;
  requireRememberedTargets(what, targets, options.db);
  const days = window === undefined ? undefined : window / DAY;
  const starts =
    since === undefined ? await readCreationDays(targets, options, config) : targets.map((): number => since);
  return targets.flatMap((target, i): AccountBackfill[] => {
    const { typed, handle } = target;
    const from = starts[i]!;
    const name = formatTarget({ target: typed, handle });
    if (until <= from) {
      const creation = `the creation of the account (${formatDay(from)})`;
      if (panel === undefined || since !== undefined)
        throw new UsageError(`--until must be later than ${since === undefined ? creation : '--since'}`);
      printMessage(`skipped: ${name}, since --until is before ${creation}`);
      return [];
    }
    const range: Range = { wanted: { from, to: until }, days, listsAll: dryRun ?? false };
    const backfill = what === 'search' ? createSearchBackfill(typed, range) : createTimelineBackfill(target, range);
    return [{ name, request: { target: typed, since: from }, backfill }];
  });
}

/** @throws UsageError if targets are forgotten accounts */
function requireRememberedTargets(kind: string, targets: readonly BackfillTarget[], db: string): void {
  using store = openForgottenTargets(db);
  const specs = targets.map(({ typed }) => createCrawlSpec({ kind, target: typed, priority: 'backfill' }));
  requireRemembered(specs, store.isForgotten);
}

/** The maximum number of named accounts. */
const NAMED = 5;

/**
 * Returns the days on which accounts were created. Fetches the profiles that the store does not have, except in a dry
 * run. @throws UsageError if a day is unknown.
 */
async function readCreationDays(
  targets: readonly BackfillTarget[],
  options: BackfillOptions,
  config: Config,
): Promise<number[]> {
  const profiles = targets.map(({ typed, handle }) =>
    createCrawlSpec({ kind: 'profile', target: typed, handle, priority: 'backfill' }),
  );
  const { db, dryRun } = options;
  const read = async (): Promise<(number | null | undefined)[]> => {
    if (!existsSync(db)) return profiles.map(() => undefined);
    await using store = openStore(db);
    return profiles.map(({ target }) => findAccount(store.read, target)?.createdAt);
  };
  let times = await read();
  const missing = profiles.filter((_, i) => times[i] == null);
  if (missing.length > 0 && !dryRun) {
    await crawlSilently(missing, options, config);
    times = await read();
  }
  const unknown = targets.flatMap(({ typed }, i) => (times[i] == null ? [typed] : []));
  if (unknown.length === 0) return times.map((time) => startOfDay(time!));
  const profile = hint('crawl', `profile ${unknown.slice(0, NAMED).join(' ')}`);
  throw new UsageError(`the creation date is unknown: ${listFirst(unknown, NAMED)}`, {
    hint: `Give --since${dryRun ? `, or fetch the profile first: ${profile}` : ''}.`,
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
  const nextSearches = createSearches();
  return {
    firstSpecs: (read) => nextSearches(plan(read), []),
    nextSpecs: (read, rows) => nextSearches(plan(read), rows),
    readReport(read) {
      const now = plan(read);
      return {
        plan: { lines: report.formatSearchPlan(now, listsAll), fields: report.toSearchPlanJson(now) },
        requests: estimateSearches(now),
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
function createTimelineBackfill(of: BackfillTarget, { wanted, days, listsAll }: Range): Backfill {
  const spec = createCrawlSpec({ kind: 'timeline', target: of.typed, handle: of.handle, priority: 'backfill' });
  const { kind, target: account, handle } = spec;
  const request = { account, handle, wanted, days };
  const nextSearches = createSearches();
  let timeline: CrawlRow | undefined;
  let isRepeated = false;
  const plan = (read: StoreReads): TimelineBackfillPlan => planTimelineBackfill(read, request, timeline);
  const search = (read: StoreReads, rows: readonly CrawlRow[]): readonly CrawlSpec[] => {
    const { search: then } = plan(read);
    return then ? nextSearches(then, rows) : [];
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
        const { timelineCrawl } = planTimelineBackfill(read, request);
        if (timelineCrawl) return [timelineCrawl];
      }
      return search(read, rows);
    },
    readReport(read) {
      const now = plan(read);
      return {
        plan: { lines: report.formatTimelinePlan(now, listsAll), fields: report.toTimelinePlanJson(now) },
        requests: estimateTimeline(now),
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
  return (plan: SearchBackfillPlan, rows: readonly CrawlRow[]): readonly CrawlSpec[] => {
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
  };
}
