import { listCrawls } from '../../analysis/crawls/crawl-list.ts';
import { formatTable } from '../../analysis/sql/table.ts';
import { systemClock } from '../../clock.ts';
import type { CrawlRow } from '../../store/schema/messages.ts';
import { print, tell } from '../shared/common-options.ts';
import { readStore } from '../shared/existing-store.ts';
import { crawlJson, explain } from '../shared/summary.ts';
import { targetOf } from '../targets/crawl-names.ts';
import { count, plural, span } from '../terminal/format.ts';
import { terminalWidth } from '../terminal/table.ts';

export interface ListWords {
  readonly db: string;
  readonly state?: readonly CrawlRow['state'][];
  readonly kind?: readonly string[];
  readonly limit: number;
  readonly json?: true;
}

/** Prints the newest crawls. */
export async function listTheCrawls({ db: path, state, kind, limit, json }: ListWords): Promise<void> {
  const { crawls, total } = await readStore(path, (db) => listCrawls(db, { states: state, kinds: kind, limit }));
  if (json) return print(JSON.stringify({ crawls: crawls.map(crawlJson), total }, null, 2));
  if (crawls.length === 0) return tell(state || kind ? 'no crawl is like that' : 'there are no crawls yet');
  print(crawlTable(crawls, systemClock.now()));
  if (total > crawls.length) tell(`the newest ${crawls.length} of ${plural(total, 'crawl')}; --limit shows more`);
}

const HEAD = ['id', 'kind', 'target', 'state', 'pages', 'items', 'new', 'requests', 'age', 'reason'];

/** Why a crawl is as it is, and for how long. How a list ended, `crawls show` says. */
function reasonOf(crawl: CrawlRow, now: number): string {
  const { resumeAt, state } = crawl;
  const wait =
    state === 'paused' && resumeAt !== null && resumeAt > now ? `, goes on in about ${span(resumeAt - now)}` : '';
  return explain({ ...crawl, ending: null }) + wait;
}

export function crawlTable(crawls: readonly CrawlRow[], now: number): string {
  const rows = crawls.map((crawl) => {
    const { id, kind, state, pages, items, newItems, requests, createdAt } = crawl;
    const number = (n: number) => ({ text: count(n), isNumber: true });
    const word = (text: string) => ({ text, isNumber: false });
    return [
      { text: String(id), isNumber: true },
      ...[kind, targetOf(crawl), state].map(word),
      ...[pages, items, newItems, requests].map(number),
      word(span(now - createdAt)),
      word(reasonOf(crawl, now)),
    ];
  });
  return [...formatTable(HEAD, rows, { width: terminalWidth() })].join('').trimEnd();
}
