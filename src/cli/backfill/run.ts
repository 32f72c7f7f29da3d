import { existsSync } from 'node:fs';
import { DAY, systemClock } from '../../clock.ts';
import { loadConfig } from '../../config.ts';
import type { DateWindow } from '../../engine/search/date-windows.ts';
import { readDateWindow } from '../../engine/search/window-crawl.ts';
import { UsageError } from '../../errors.ts';
import { createCrawlSpec, parseCrawlOptions, type CrawlSpec } from '../../kinds/crawl-spec.ts';
import { getKind } from '../../kinds/kinds.ts';
import { isSuccessState } from '../../store/evidence/end-states.ts';
import type { CrawlRow } from '../../store/schema/messages.ts';
import type { StoreReads } from '../../store/store-reads.ts';
import { openStore } from '../../store/store.ts';
import { crawlInProcess, type CrawlStages } from '../crawl/run.ts';
import type { BudgetOptions } from '../shared/begin-run.ts';
import { EXIT, print, printNote } from '../shared/common-options.ts';
import { toIso } from '../terminal/times.ts';
import {
  isFullySearched,
  isIncomplete,
  planSearchBackfill,
  planTimelineBackfill,
  type SearchBackfillPlan,
  buildSearchSpecs,
  type TimelineBackfillPlan,
} from './backfill-plan.ts';
import * as inWords from './report.ts';

export interface BackfillOptions extends BudgetOptions {
  readonly db: string;
  readonly since: number;
  readonly until?: number;
  readonly window?: number;
  readonly dryRun?: true;
  readonly concurrency: number;
  readonly raw: boolean;
  readonly json?: true;
  readonly quiet?: true;
}

/** The stages and texts of one type of backfill. */
interface Backfill extends CrawlStages {
  first(read: StoreReads): readonly CrawlSpec[];
  planLines(read: StoreReads): readonly string[];
  planFields(read: StoreReads): object;
}

/** Collects what is missing of a range. Returns the exit code. */
export async function runBackfill(
  what: 'timeline' | 'search',
  target: string,
  words: BackfillOptions,
): Promise<number> {
  const now = systemClock.now();
  const { since, window } = words;
  const until = Math.min(words.until ?? now, now);
  if (since >= now) throw new UsageError('--since is in the future');
  if (until <= since) throw new UsageError('--until must be later than --since');
  if (window !== undefined && (window % DAY !== 0 || window === 0)) {
    throw new UsageError('--window must be a number of whole days, such as 7d');
  }
  const options: Options = {
    wanted: { from: since, to: until },
    days: window === undefined ? undefined : window / DAY,
    isWhole: words.dryRun ?? false,
  };
  const backfill = what === 'search' ? ofSearch(target, options) : ofTimeline(target, options);
  const config = loadConfig();
  const { specs, plan, done } = await prepare(backfill, words);
  if (words.dryRun) {
    const asked = { backfill: what, target, since: toIso(since), until: toIso(until) };
    print(words.json ? JSON.stringify({ ...asked, ...plan.fields }, null, 2) : plan.lines.join('\n'));
    return EXIT.complete;
  }
  if (specs.length > 0) {
    if (!words.quiet) for (const line of plan.lines) printNote(line);
    return await crawlInProcess(specs, words, config, backfill);
  }
  if (words.json) print(JSON.stringify({ crawls: [], unfinished: 0, ms: 0, db: words.db, ...done.fields }, null, 2));
  else print(['nothing left to do', ...done.lines].join('\n'));
  return done.isPartial ? EXIT.partial : EXIT.complete;
}

/** Reads plan, crawls and result from the store. A dry run creates no file. */
async function prepare(backfill: Backfill, { db, dryRun }: BackfillOptions) {
  await using store = openStore(dryRun && !existsSync(db) ? ':memory:' : db);
  const { read } = store;
  const plan = { lines: backfill.planLines(read), fields: backfill.planFields(read) };
  return { plan, specs: backfill.first(read), done: backfill.readOutcome(read) };
}

interface Options {
  readonly wanted: DateWindow;
  readonly days: number | undefined;
  readonly isWhole: boolean;
}

function ofSearch(typed: string, { wanted, days, isWhole }: Options): Backfill {
  if (/(^|\s)(since|until):/i.test(typed)) {
    throw new UsageError('the search string contains since: or until:', {
      hint: 'Use --since and --until instead.',
    });
  }
  const query = createCrawlSpec({ kind: 'search', target: typed, class: 'backfill' }).target;
  const plan = (read: StoreReads): SearchBackfillPlan => planSearchBackfill(read, { query, wanted: [wanted], days });
  const searches = createSearches();
  return {
    first: (read) => searches.next(read, plan(read), []),
    nextSpecs: (read, rows) => searches.next(read, plan(read), rows),
    planLines: (read) => inWords.formatSearchPlan(read, plan(read), isWhole),
    planFields: (read) => inWords.toSearchPlanJson(read, plan(read)),
    readOutcome(read) {
      const now = plan(read);
      return {
        lines: inWords.formatSearchResult(now),
        fields: { backfill: inWords.toSearchResultJson(now) },
        isPartial: !isFullySearched(now) || isIncomplete(now),
      };
    },
  };
}

/** Crawls the timeline as far as it reaches or is needed, then searches for the rest. */
function ofTimeline(typed: string, { wanted, days, isWhole }: Options): Backfill {
  const { kind, target: account, handle } = createCrawlSpec({ kind: 'timeline', target: typed, class: 'backfill' });
  const searches = createSearches();
  let walked: CrawlRow | undefined;
  let isWalkedAgain = false;
  const plan = (read: StoreReads): TimelineBackfillPlan =>
    planTimelineBackfill(read, { account, handle, wanted, days }, walked);
  const search = (read: StoreReads, rows: readonly CrawlRow[]): readonly CrawlSpec[] => {
    const { search: then } = plan(read);
    return then ? searches.next(read, then, rows) : [];
  };
  return {
    first(read) {
      const { walk } = plan(read);
      return walk ? [walk] : search(read, []);
    },
    nextSpecs(read, rows) {
      walked = rows.findLast((row) => row.kind === kind && row.target === account);
      // Searches would fail for the same reason: no service, no account or no budget.
      if (walked && (!['complete', 'capped', 'partial'].includes(walked.state) || walked.reason === 'max_requests'))
        return [];
      // A resumed crawl does not cover what was written since it began.
      if (walked && isSuccessState(walked) && !isWalkedAgain && (walked.startedAt ?? 0) < wanted.to) {
        isWalkedAgain = true;
        const { walk } = planTimelineBackfill(read, { account, handle, wanted, days });
        if (walk) return [walk];
      }
      return search(read, rows);
    },
    planLines: (read) => inWords.formatTimelinePlan(read, plan(read), isWhole),
    planFields: (read) => inWords.toTimelinePlanJson(read, plan(read)),
    readOutcome(read) {
      const now = plan(read);
      return {
        lines: inWords.formatTimelineResult(now),
        fields: { backfill: inWords.toTimelineResultJson(now) },
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
