import { existsSync } from 'node:fs';
import { DAY, systemClock } from '../../clock.ts';
import { loadConfig } from '../../config.ts';
import type { Window } from '../../engine/search/date-windows.ts';
import { windowOf } from '../../engine/search/window-crawl.ts';
import { UsageError } from '../../errors.ts';
import { crawlSpec, optionsOf } from '../../kinds/crawl-spec.ts';
import { isDone as isEnded } from '../../store/evidence/end-states.ts';
import type { Reads } from '../../store/reads.ts';
import type { CrawlRow, CrawlSpec } from '../../store/schema/messages.ts';
import { openStore } from '../../store/store.ts';
import { crawlHere, type Stages } from '../crawl/run.ts';
import type { BudgetWords } from '../shared/begin-run.ts';
import { EXIT, print, tell } from '../shared/common-options.ts';
import { iso } from '../terminal/times.ts';
import {
  isDone,
  isLacking,
  planSearch,
  planTimeline,
  type SearchPlan,
  searchSpecs,
  type TimelinePlan,
} from './backfill-plan.ts';
import * as inWords from './report.ts';

export interface BackfillWords extends BudgetWords {
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

/** What differs between the two: what is planned, crawled in which order, and told. */
interface Backfill extends Stages {
  first(read: Reads): readonly CrawlSpec[];
  planLines(read: Reads): readonly string[];
  planFields(read: Reads): object;
}

/** Fetches what is wanted of the past and was not fetched before. Returns the exit code. */
export async function runBackfill(what: 'timeline' | 'search', target: string, words: BackfillWords): Promise<number> {
  const now = systemClock.now();
  const { since, window } = words;
  const until = Math.min(words.until ?? now, now);
  if (since >= now) throw new UsageError('--since is in the future');
  if (until <= since) throw new UsageError('--until should be later than --since');
  if (window !== undefined && (window % DAY !== 0 || window === 0)) {
    throw new UsageError('--window should be whole days, such as 7d');
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
    const asked = { backfill: what, target, since: iso(since), until: iso(until) };
    print(words.json ? JSON.stringify({ ...asked, ...plan.fields }, null, 2) : plan.lines.join('\n'));
    return EXIT.complete;
  }
  if (specs.length > 0) {
    if (!words.quiet) for (const line of plan.lines) tell(line);
    return await crawlHere(specs, words, config, backfill);
  }
  if (words.json) print(JSON.stringify({ crawls: [], unfinished: 0, ms: 0, db: words.db, ...done.fields }, null, 2));
  else print(['nothing is left to do', ...done.lines].join('\n'));
  return done.isPartial ? EXIT.partial : EXIT.complete;
}

/** What the store says of it. A plan makes no file. */
async function prepare(backfill: Backfill, { db, dryRun }: BackfillWords) {
  await using store = openStore(dryRun && !existsSync(db) ? ':memory:' : db);
  const { read } = store;
  const plan = { lines: backfill.planLines(read), fields: backfill.planFields(read) };
  return { plan, specs: backfill.first(read), done: backfill.outcome(read) };
}

interface Options {
  readonly wanted: Window;
  readonly days: number | undefined;
  readonly isWhole: boolean;
}

function ofSearch(typed: string, { wanted, days, isWhole }: Options): Backfill {
  if (/(^|\s)(since|until):/i.test(typed)) {
    throw new UsageError('the search string has since: or until: of its own', {
      hint: 'Use --since and --until instead.',
    });
  }
  const query = crawlSpec({ kind: 'search', target: typed, class: 'backfill' }).target;
  const plan = (read: Reads): SearchPlan => planSearch(read, { query, wanted: [wanted], days });
  const searches = createSearches();
  return {
    first: (read) => searches.next(read, plan(read), []),
    next: (read, rows) => searches.next(read, plan(read), rows),
    planLines: (read) => inWords.searchPlanLines(read, plan(read), isWhole),
    planFields: (read) => inWords.searchPlanJson(read, plan(read)),
    outcome(read) {
      const now = plan(read);
      return {
        lines: inWords.searchedLines(now),
        fields: { backfill: inWords.searchedJson(now) },
        isPartial: !isDone(now) || isLacking(now),
      };
    },
  };
}

/** The timeline itself, as far as the service gives it and it is needed; then searches for what that did not reach. */
function ofTimeline(typed: string, { wanted, days, isWhole }: Options): Backfill {
  const { target: account, handle } = crawlSpec({ kind: 'timeline', target: typed, class: 'backfill' });
  const searches = createSearches();
  let walked: CrawlRow | undefined;
  let isWalkedAgain = false;
  const plan = (read: Reads): TimelinePlan => planTimeline(read, { account, handle, wanted, days }, walked);
  const search = (read: Reads, rows: readonly CrawlRow[]): readonly CrawlSpec[] => {
    const { search: then } = plan(read);
    return then ? searches.next(read, then, rows) : [];
  };
  return {
    first(read) {
      const { walk } = plan(read);
      return walk ? [walk] : search(read, []);
    },
    next(read, rows) {
      walked = rows.findLast((row) => row.kind === 'timeline' && row.target === account);
      // Without its service, its account, or anything left to spend, there is nothing to search either.
      if (walked && (!['complete', 'capped', 'partial'].includes(walked.state) || walked.reason === 'max_requests'))
        return [];
      // One that was gone on with, of an earlier run or of a worker's, knows nothing of what was written since it began.
      if (walked && isEnded(walked) && !isWalkedAgain && (walked.startedAt ?? 0) < wanted.to) {
        isWalkedAgain = true;
        const { walk } = planTimeline(read, { account, handle, wanted, days });
        if (walk) return [walk];
      }
      return search(read, rows);
    },
    planLines: (read) => inWords.timelinePlanLines(read, plan(read), isWhole),
    planFields: (read) => inWords.timelinePlanJson(read, plan(read)),
    outcome(read) {
      const now = plan(read);
      return {
        lines: inWords.timelineLines(now),
        fields: { backfill: inWords.timelineJson(now) },
        isPartial: now.gaps.length > 0 || (now.search !== undefined && isLacking(now.search)),
      };
    },
  };
}

/** The searches of a plan, once: what fails is for the next run. */
function createSearches() {
  let isMeasured = false;
  let isSent = false;
  return {
    next(read: Reads, plan: SearchPlan, rows: readonly CrawlRow[]): readonly CrawlSpec[] {
      if (isSent || isDone(plan)) return [];
      isMeasured ||= rows.some(
        (row) => row.kind === 'search' && row.target === plan.query && !windowOf(optionsOf(row)),
      );
      const specs = searchSpecs(read, plan, isMeasured);
      isSent = specs.some(({ options }) => options !== '{}');
      return specs;
    },
  };
}
