import { DAY, systemClock } from '../clock.ts';
import { loadConfig } from '../config.ts';
import { crawlSpec } from '../crawl/spec.ts';
import { searchWithin, type Window, windowsBetween } from '../crawl/windows.ts';
import { UsageError } from '../errors.ts';
import type { CrawlSpec } from '../store/messages.ts';
import { openStore } from '../store/store.ts';
import { EXIT, print, tell } from './common.ts';
import { crawlHere } from './crawl-run.ts';
import { plural } from './format.ts';

export interface BackfillWords {
  readonly db: string;
  readonly since: number;
  readonly until?: number;
  readonly window: number;
  readonly concurrency: number;
  readonly raw: boolean;
  readonly json?: true;
  readonly quiet?: true;
}

/** Crawls the windows that were not completed before. Returns the exit code. */
export async function runBackfill(what: 'timeline' | 'search', target: string, words: BackfillWords): Promise<number> {
  const now = systemClock.now();
  const { since, until = now, window } = words;
  if (until <= since) throw new UsageError('--until should be later than --since');
  if (window % DAY !== 0 || window === 0) throw new UsageError('--window should be whole days, such as 7d');
  if (/(^|\s)(since|until):/i.test(target)) {
    throw new UsageError('the search string has since: or until: of its own', {
      hint: 'Use --since and --until instead.',
    });
  }
  const config = loadConfig();
  const windows = windowsBetween(since, until, window / DAY);
  const { first, query } = plan(what, target, since);
  const specs = await unfinished(words.db, windows, query);
  const done = windows.length - specs.length;
  if (!words.quiet) tell(`${plural(windows.length, 'window')}${done > 0 ? `, ${done} of them completed before` : ''}`);
  if (first.length + specs.length === 0) {
    print('nothing is left to do');
    return EXIT.complete;
  }
  return await crawlHere([...first, ...specs], words, config);
}

/** An account's timeline is walked itself as far as the service gives it; what is older is sought. */
function plan(what: 'timeline' | 'search', target: string, since: number): { first: CrawlSpec[]; query: string } {
  if (what === 'search') return { first: [], query: crawlSpec({ kind: 'search', target, class: 'backfill' }).target };
  const timeline = crawlSpec({ kind: 'timeline', target, options: { since }, class: 'backfill' });
  if (timeline.target.startsWith('id:')) {
    throw new UsageError('a backfill searches by handle, not by id', { hint: 'Name the account as nasa or @nasa.' });
  }
  return { first: [timeline], query: `from:${timeline.target}` };
}

/** The searches that are left. A window is done when it was complete after its last day had ended. */
async function unfinished(db: string, windows: readonly Window[], query: string): Promise<CrawlSpec[]> {
  await using store = openStore(db);
  return windows.flatMap((window) => {
    const spec = crawlSpec({ kind: 'search', target: searchWithin(query, window), class: 'backfill' });
    const before = store.read.lastComplete(spec);
    return (before?.startedAt ?? 0) > window.to ? [] : [spec];
  });
}
