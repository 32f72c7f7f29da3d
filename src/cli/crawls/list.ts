import { listCrawls } from '../../analysis/crawls/crawl-list.ts';
import { systemClock } from '../../clock.ts';
import type { CrawlRow } from '../../store/schema/crawl-row.ts';
import { type CommonOptions } from '../shared/common-options.ts';
import { readStore } from '../shared/existing-store.ts';
import { toCrawlJson, describeCrawlReason } from '../targets/crawl-summary.ts';
import { describeTarget } from '../targets/describe-crawl.ts';
import { formatCount, pluralize, formatDuration } from '../terminal/format.ts';
import { print, printJson, printNote } from '../terminal/output.ts';
import { renderTable } from '../terminal/table.ts';

interface CrawlListOptions extends CommonOptions {
  readonly state?: readonly CrawlRow['state'][];
  readonly kind?: readonly string[];
  readonly limit: number;
}

/** Prints the newest crawls. */
export async function printCrawlList({ db: path, state, kind, limit, json }: CrawlListOptions): Promise<void> {
  const { crawls, total } = await readStore(path, (db) => listCrawls(db, { states: state, kinds: kind, limit }));
  if (json) return printJson({ crawls: crawls.map(toCrawlJson), total });
  if (crawls.length === 0) return printNote(state || kind ? 'no matching crawl' : 'no crawls yet');
  print(formatCrawlTable(crawls, systemClock.now()));
  if (total > crawls.length)
    printNote(`showing the newest ${crawls.length} of ${pluralize(total, 'crawl')}; use --limit for more`);
}

const HEAD = ['id', 'kind', 'target', 'state', 'pages', 'items', 'new', 'requests', 'age', 'reason'];

/** The reason of a state, and the time until a paused crawl resumes. `crawls show` adds how a list ended. */
function describeStateReason(crawl: CrawlRow, now: number): string {
  const { resumeAt, state } = crawl;
  const wait =
    state === 'paused' && resumeAt !== null && resumeAt > now
      ? `, resumes in about ${formatDuration(resumeAt - now)}`
      : '';
  return describeCrawlReason({ ...crawl, ending: null }) + wait;
}

export function formatCrawlTable(crawls: readonly CrawlRow[], now: number): string {
  const rows = crawls.map((crawl) => [
    ...[String(crawl.id), crawl.kind, describeTarget(crawl), crawl.state],
    ...[crawl.pages, crawl.items, crawl.newItems, crawl.requests].map(formatCount),
    ...[formatDuration(now - crawl.createdAt), describeStateReason(crawl, now)],
  ]);
  return renderTable(HEAD, rows, { right: [0, 4, 5, 6, 7], maxCellWidth: 60 });
}
