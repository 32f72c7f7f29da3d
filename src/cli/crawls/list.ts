import { listCrawls } from '#analysis/crawls/crawl-list.ts';
import type { CrawlSort } from '#analysis/crawls/crawl-sorts.ts';
import { answerCrawl, describeTarget } from '#analysis/crawls/describe-crawl.ts';
import type { CrawlAnswer } from '#analysis/status/status-model.ts';
import { systemClock } from '#base/clock.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { readStore } from '#cli/shared/existing-store.ts';
import { pluralize, formatDuration, print, printJson, printNote, renderTable } from '#cli/terminal/print.ts';
import type { Priority } from '#service/quota/priorities.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';

interface CrawlListOptions extends CommonOptions {
  readonly state?: readonly CrawlRow['state'][];
  readonly kind?: readonly string[];
  readonly reason?: readonly string[];
  readonly priority?: readonly Priority[];
  readonly job?: readonly string[];
  readonly target?: string;
  readonly sort: CrawlSort;
  readonly reverse?: true;
  readonly limit: number;
}

/** Prints the first crawls that match. */
export async function printCrawlList({ db: path, limit, json, ...options }: CrawlListOptions): Promise<void> {
  const { state, kind, reason, priority, job, target, sort, reverse } = options;
  const filter = { states: state, kinds: kind, reasons: reason, priorities: priority, jobs: job, target };
  const order = { sort, isReversed: reverse ?? false };
  const { crawls: rows, total } = await readStore(path, (db) => listCrawls(db, { ...filter, ...order, limit }));
  const crawls = rows.map(answerCrawl);
  if (json) return printJson({ crawls, total });
  const isFiltered = Object.values(filter).some((condition) => condition !== undefined);
  if (crawls.length === 0) return printNote(isFiltered ? 'no matching crawl' : 'no crawls yet');
  print(formatCrawlTable(crawls, systemClock.now()));
  const first = sort === 'id' && !reverse ? 'newest' : 'first';
  if (total > crawls.length)
    printNote(`showing the ${first} ${crawls.length} of ${pluralize(total, 'crawl')}; use --limit for more`);
}

const HEAD = ['id', 'kind', 'target', 'state', 'pages', 'items', 'new', 'requests', 'age', 'reason'];

/** The reason of a state, and the time until a paused crawl resumes. */
function describeStateReason({ state, why, error, resumeAt }: CrawlAnswer, now: number): string {
  const isWaiting = state === 'paused' && resumeAt !== null && resumeAt > now;
  const wait = isWaiting ? `, resumes in about ${formatDuration(resumeAt - now)}` : '';
  return [why, error ?? ''].filter((part) => part !== '').join(': ') + wait;
}

export function formatCrawlTable(crawls: readonly CrawlAnswer[], now: number): string {
  const rows = crawls.map((crawl) => [
    String(crawl.id),
    crawl.kind,
    describeTarget({ ...crawl, options: JSON.stringify(crawl.options) }),
    crawl.state,
    crawl.pages,
    crawl.items,
    crawl.newItems,
    crawl.requests,
    formatDuration(now - crawl.createdAt),
    describeStateReason(crawl, now),
  ]);
  return renderTable(HEAD, rows, { maxCellWidth: 60 });
}
