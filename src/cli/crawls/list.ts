import { listCrawls } from '../../analysis/crawls/crawl-list.ts';
import { formatTable } from '../../analysis/sql/table.ts';
import { systemClock } from '../../clock.ts';
import type { CrawlRow } from '../../store/schema/crawl-row.ts';
import { print, printNote } from '../shared/common-options.ts';
import { readStore } from '../shared/existing-store.ts';
import { toCrawlJson, describeReason } from '../shared/summary.ts';
import { describeTarget } from '../targets/describe-crawl.ts';
import { formatCount, pluralize, formatDuration } from '../terminal/format.ts';
import { getTerminalWidth } from '../terminal/table.ts';

export interface CrawlListOptions {
  readonly db: string;
  readonly state?: readonly CrawlRow['state'][];
  readonly kind?: readonly string[];
  readonly limit: number;
  readonly json?: true;
}

/** Prints the newest crawls. */
export async function printCrawlList({ db: path, state, kind, limit, json }: CrawlListOptions): Promise<void> {
  const { crawls, total } = await readStore(path, (db) => listCrawls(db, { states: state, kinds: kind, limit }));
  if (json) return print(JSON.stringify({ crawls: crawls.map(toCrawlJson), total }, null, 2));
  if (crawls.length === 0) return printNote(state || kind ? 'no matching crawl' : 'no crawls yet');
  print(formatCrawlTable(crawls, systemClock.now()));
  if (total > crawls.length)
    printNote(`showing the newest ${crawls.length} of ${pluralize(total, 'crawl')}; use --limit for more`);
}

const HEAD = ['id', 'kind', 'target', 'state', 'pages', 'items', 'new', 'requests', 'age', 'reason'];

/** The reason of a state, and the time until a paused crawl resumes. `crawls show` adds how a list ended. */
function reasonOf(crawl: CrawlRow, now: number): string {
  const { resumeAt, state } = crawl;
  const wait =
    state === 'paused' && resumeAt !== null && resumeAt > now
      ? `, resumes in about ${formatDuration(resumeAt - now)}`
      : '';
  return describeReason({ ...crawl, ending: null }) + wait;
}

export function formatCrawlTable(crawls: readonly CrawlRow[], now: number): string {
  const rows = crawls.map((crawl) => {
    const { id, kind, state, pages, items, newItems, requests, createdAt } = crawl;
    const number = (n: number) => ({ text: formatCount(n), isNumber: true });
    const word = (text: string) => ({ text, isNumber: false });
    return [
      { text: String(id), isNumber: true },
      ...[kind, describeTarget(crawl), state].map(word),
      ...[pages, items, newItems, requests].map(number),
      word(formatDuration(now - createdAt)),
      word(reasonOf(crawl, now)),
    ];
  });
  return [...formatTable(HEAD, rows, { width: getTerminalWidth() })].join('').trimEnd();
}
