import { type CountPair, computeScore } from '../../analysis/account-counts.ts';
import type { CrawlDetail, RequestGroup } from '../../analysis/crawls/crawl-detail.ts';
import { parseCheckpoint } from '../../engine/pagination/crawl-checkpoint.ts';
import { type KindName, kindTable } from '../../kinds/kinds.ts';
import { isPagedKind } from '../../store/evidence/end-states.ts';
import type { CompleteListRow } from '../../store/evidence/list-snapshots.ts';
import type { CrawlRow } from '../../store/schema/messages.ts';
import { describeGap } from '../coverage/coverage-report.ts';
import { formatRequests } from '../plan/plan-report.ts';
import { addDatabaseOption } from '../shared/command-hints.ts';
import { describeDroppedFields } from '../shared/dropped-fields-report.ts';
import { describeReason, countUnrecordedRequests } from '../shared/summary.ts';
import { describeCrawl, describeOptions } from '../targets/describe-crawl.ts';
import type { RenamedHandle } from '../targets/renamed-handles.ts';
import { formatCount, formatPercent, pluralize, formatBytes, formatDuration } from '../terminal/format.ts';
import { renderTable } from '../terminal/table.ts';
import { formatAgo, formatSecond } from '../terminal/times.ts';
import { wrapIndented } from '../terminal/wrap.ts';

/** A crawl with all that is told of it. */
export interface ExplainedCrawl extends CrawlDetail {
  /** What is stored of the account beside what its profile says; undefined where there is no such count. */
  readonly counts: CountPair | undefined;
  /** Set where its handle does not lead to its account any more. */
  readonly renamed: RenamedHandle | undefined;
  readonly next: string;
}

/** One crawl, told in sentences. */
export function explainCrawl(shown: ExplainedCrawl, now: number): string {
  const { crawl, list, counts, requests, renamed, next } = shown;
  const body = [
    asked(crawl, now),
    renamed && `${renamed.description}.`,
    state(crawl, now),
    progress(crawl),
    unrecorded(crawl),
    plan(shown),
    counts && compared(crawl, counts, now),
    covered(shown),
    restarts(crawl),
    list && lacking(list),
    missing(shown),
    offspring(shown),
    setAside(shown),
    shown.dropped.length > 0 ? `${describeDroppedFields(shown.dropped)}.` : undefined,
    crawl.error !== null && `The last error: ${crawl.error}`,
    next,
  ].filter((sentence) => typeof sentence === 'string');
  const table = requests.length === 0 ? '' : `\n\n${indent(requestTable(requests))}`;
  return `crawl ${crawl.id}: ${describeCrawl(crawl)}\n${wrapIndented(body.join('\n'))}${table}`;
}

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');

function asked(crawl: CrawlRow, now: number): string {
  const options = describeOptions(crawl);
  const id =
    crawl.targetId !== null && !crawl.target.endsWith(crawl.targetId)
      ? `; the ${kindTable[crawl.kind as KindName].targetType}'s id is ${crawl.targetId}`
      : '';
  const parent = crawl.parentId === null ? '' : `; it came of crawl ${crawl.parentId}`;
  const when = `${formatAgo(crawl.createdAt, now)} (${formatSecond(crawl.createdAt)})`;
  return `Asked for ${when}, ${options || 'without limits'}, class ${crawl.class}${id}${parent}.`;
}

function state(crawl: CrawlRow, now: number): string {
  const { state: word, finishedAt, startedAt, resumeAt, updatedAt } = crawl;
  // The error has a sentence of its own.
  const why = describeReason({ ...crawl, error: null });
  const because = why === '' ? '' : `: ${why}`;
  if (finishedAt !== null) {
    const took = startedAt === null ? 'before it began' : `after ${formatDuration(finishedAt - startedAt)}`;
    return `It ended ${word} ${formatAgo(finishedAt, now)}, ${took}${because}.`;
  }
  const wait =
    resumeAt !== null && resumeAt > now
      ? `, until ${formatSecond(resumeAt)} (in ${formatDuration(resumeAt - now)})`
      : '';
  const moved = startedAt === null ? '' : `; it moved last ${formatAgo(updatedAt, now)}`;
  return `It is ${word}${because}${wait}${moved}.`;
}

function progress({ kind, pages, items, newItems, requests, finishedAt }: CrawlRow): string {
  if (pages === 0) return `No page${finishedAt === null ? ' yet' : ''}, for ${pluralize(requests, 'request')}.`;
  const found = countOf(items, kindTable[kind as KindName].itemName);
  return `${pluralize(pages, 'page')} with ${found}, ${formatCount(newItems)} of them new, for ${pluralize(requests, 'request')}.`;
}

function unrecorded(crawl: CrawlRow): string | undefined {
  const unknown = countUnrecordedRequests(crawl);
  return unknown === 0
    ? undefined
    : `A killed worker sent at most ${pluralize(unknown, 'request')} that it did not record.`;
}

/** What was planned beside what it took, its family's included. */
function plan({ crawl, treeRequests }: ExplainedCrawl): string | undefined {
  const { plannedLeast: least, planned: likely, plannedMost: most, finishedAt } = crawl;
  if (least === null) return undefined;
  const was = formatRequests({ min: least, expected: likely, max: most });
  return `Planned: ${was}; ${finishedAt === null ? 'so far' : 'in the end'} it took ${formatCount(treeRequests)}.`;
}

/** Never a part of how the crawl ended: profiles lag, count what is hidden, and lists hide what is counted. */
function compared({ kind }: CrawlRow, { stored, reported, reportedAt }: CountPair, now: number): string {
  const all = `Stored in all: ${countOf(stored, kindTable[kind as KindName].itemName)}`;
  if (reported === null) return `${all}; the service was not seen to say how many there are.`;
  const score = formatPercent(computeScore({ stored, reported }));
  const share = score === '' ? '' : ` (${score})`;
  const when = reportedAt === null ? '' : ` as of ${formatAgo(reportedAt, now)}`;
  return `${all}; the service's own count was ${formatCount(reported)}${share}${when}, and may be stale.`;
}

/** `1 tweet`, `2 tweets`: the kinds table has them in the plural. */
const countOf = (n: number, items: string): string => pluralize(n, items.replace(/s$/, ''), items);

/** What the store has of the list without a gap, whichever crawls it took. */
function covered({ intervals, gaps }: ExplainedCrawl): string | undefined {
  if (intervals.length === 0) return undefined;
  const spans = intervals.map(({ kind, oldestAt, newestAt, bottom }) => {
    const isProven = bottom === 'served' && isPagedKind(kind);
    const end = bottom === null ? '' : isProven ? ', where the list ends' : ', where it seems to end';
    return `from ${formatSecond(newestAt)} down to ${formatSecond(oldestAt)}${end}`;
  });
  const holes = gaps.map((gap) => {
    const to = gap.olderAt === null ? 'down' : `down to ${formatSecond(gap.olderAt)}`;
    return `from ${formatSecond(gap.newerAt)} ${to} (${describeGap(gap)})`;
  });
  const unknown = holes.length === 0 ? 'no gap' : `${pluralize(holes.length, 'gap')}: ${told(holes)}`;
  return `Known complete of the list: ${told(spans)}; ${unknown}.`;
}

const MOST_TOLD = 3;
const told = (parts: readonly string[]): string =>
  [
    ...parts.slice(0, MOST_TOLD),
    ...(parts.length > MOST_TOLD ? [`${formatCount(parts.length - MOST_TOLD)} more`] : []),
  ].join(', ');

/** Only 404 for itself proves that a tweet is gone. */
function missing({ absent: { suspected, gone, back } }: ExplainedCrawl): string | undefined {
  if (suspected + gone + back === 0) return undefined;
  return `Not where they were before: ${pluralize(suspected + gone + back, 'tweet')}; ${formatCount(gone)} of them gone by the service's own word, ${formatCount(suspected)} only suspected, ${formatCount(back)} seen again since.`;
}

/** Law 7: once is no proof. */
function lacking({ missed, ended }: CompleteListRow): string | undefined {
  if (missed + ended === 0) return undefined;
  const [once, twice] = [missed, ended].map((n) => pluralize(n, 'edge'));
  return `Of those stored before, ${once} had gone missing since the last list; ${twice}, missing once already, ended.`;
}

/** How often it began again from the top. */
export const countRestarts = ({ guard }: CrawlRow): number => parseCheckpoint(guard).refused?.length ?? 0;

function restarts(crawl: CrawlRow): string | undefined {
  const n = countRestarts(crawl);
  if (n === 0) return undefined;
  const times = n === 1 ? 'once' : `${formatCount(n)} times`;
  return `The service refused or forgot its cursor ${times}, and it began again from the top.`;
}

function offspring({ children }: ExplainedCrawl): string | undefined {
  const parts = Object.entries(children).map(([word, n]) => `${formatCount(n)} ${word}`);
  const total = Object.values(children).reduce((sum, n) => sum + n, 0);
  return total === 0 ? undefined : `Of it came ${pluralize(total, 'crawl')}: ${parts.join(', ')}.`;
}

function setAside({ crawl, rejects }: ExplainedCrawl): string | undefined {
  if (crawl.rejected === 0) return undefined;
  const lines = rejects.map(({ path, reason }) => `  ${path} ${reason}`);
  const more = addDatabaseOption(
    `  \`trawl sql "select * from rejects where crawl_id = ${crawl.id}"\` shows them whole; after an update, \`trawl rejects retry\` reads them again`,
  );
  return [`Set aside: ${pluralize(crawl.rejected, 'item')} that could not be stored.`, ...lines, more].join('\n');
}

function requestTable(requests: readonly RequestGroup[]): string {
  const rows = requests.map(({ endpoint, status, requests: n, bytes, ms }) => [
    endpoint,
    status === null ? 'no answer' : String(status),
    formatCount(n),
    formatBytes(bytes),
    `${formatDuration(ms / n)}`,
  ]);
  return renderTable(['endpoint', 'status', 'requests', 'bytes', 'each took'], rows, { right: [2, 3] });
}
