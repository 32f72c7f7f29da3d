import { type CountPair, scoreOf } from '../../analysis/account-counts.ts';
import type { CrawlDetail, RequestGroup } from '../../analysis/crawls/crawl-detail.ts';
import { readMemory } from '../../engine/pagination/crawl-checkpoint.ts';
import { type KindName, kindTable } from '../../kinds/kinds.ts';
import { isPagedKind } from '../../store/evidence/end-states.ts';
import type { CompleteListRow } from '../../store/evidence/list-snapshots.ts';
import type { CrawlRow } from '../../store/schema/messages.ts';
import { gapInWords } from '../coverage/coverage-report.ts';
import { requestsInWords } from '../plan/plan-report.ts';
import { sameDatabase } from '../shared/command-hints.ts';
import { droppedInWords } from '../shared/dropped-fields-report.ts';
import { explain, unknownOf } from '../shared/summary.ts';
import { nameOf, optionsInWords } from '../targets/crawl-names.ts';
import type { Moved } from '../targets/renamed-handles.ts';
import { count, percent, plural, size, span } from '../terminal/format.ts';
import { renderTable } from '../terminal/table.ts';
import { ago, second } from '../terminal/times.ts';
import { indented } from '../terminal/wrap.ts';

/** A crawl with all that is told of it. */
export interface Shown extends CrawlDetail {
  /** What is stored of the account beside what its profile says; undefined where there is no such count. */
  readonly counts: CountPair | undefined;
  /** Set where its handle does not lead to its account any more. */
  readonly moved: Moved | undefined;
  readonly next: string;
}

/** One crawl, told in sentences. */
export function explainCrawl(shown: Shown, now: number): string {
  const { crawl, list, counts, requests, moved, next } = shown;
  const body = [
    asked(crawl, now),
    moved && `${moved.inWords}.`,
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
    shown.dropped.length > 0 ? `${droppedInWords(shown.dropped)}.` : undefined,
    crawl.error !== null && `The last error: ${crawl.error}`,
    next,
  ].filter((sentence) => typeof sentence === 'string');
  const table = requests.length === 0 ? '' : `\n\n${indent(requestTable(requests))}`;
  return `crawl ${crawl.id}: ${nameOf(crawl)}\n${indented(body.join('\n'))}${table}`;
}

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');

function asked(crawl: CrawlRow, now: number): string {
  const options = optionsInWords(crawl);
  const id =
    crawl.targetId !== null && !crawl.target.endsWith(crawl.targetId)
      ? `; the ${kindTable[crawl.kind as KindName].target}'s id is ${crawl.targetId}`
      : '';
  const parent = crawl.parentId === null ? '' : `; it came of crawl ${crawl.parentId}`;
  const when = `${ago(crawl.createdAt, now)} (${second(crawl.createdAt)})`;
  return `Asked for ${when}, ${options || 'without limits'}, class ${crawl.class}${id}${parent}.`;
}

function state(crawl: CrawlRow, now: number): string {
  const { state: word, finishedAt, startedAt, resumeAt, updatedAt } = crawl;
  // The error has a sentence of its own.
  const why = explain({ ...crawl, error: null });
  const because = why === '' ? '' : `: ${why}`;
  if (finishedAt !== null) {
    const took = startedAt === null ? 'before it began' : `after ${span(finishedAt - startedAt)}`;
    return `It ended ${word} ${ago(finishedAt, now)}, ${took}${because}.`;
  }
  const wait = resumeAt !== null && resumeAt > now ? `, until ${second(resumeAt)} (in ${span(resumeAt - now)})` : '';
  const moved = startedAt === null ? '' : `; it moved last ${ago(updatedAt, now)}`;
  return `It is ${word}${because}${wait}${moved}.`;
}

function progress({ kind, pages, items, newItems, requests, finishedAt }: CrawlRow): string {
  if (pages === 0) return `No page${finishedAt === null ? ' yet' : ''}, for ${plural(requests, 'request')}.`;
  const found = countOf(items, kindTable[kind as KindName].items);
  return `${plural(pages, 'page')} with ${found}, ${count(newItems)} of them new, for ${plural(requests, 'request')}.`;
}

function unrecorded(crawl: CrawlRow): string | undefined {
  const unknown = unknownOf(crawl);
  return unknown === 0
    ? undefined
    : `A killed worker sent at most ${plural(unknown, 'request')} that it did not record.`;
}

/** What was planned beside what it took, its family's included. */
function plan({ crawl, familyRequests }: Shown): string | undefined {
  const { plannedLeast: least, planned: likely, plannedMost: most, finishedAt } = crawl;
  if (least === null) return undefined;
  const was = requestsInWords({ least, likely, most });
  return `Planned: ${was}; ${finishedAt === null ? 'so far' : 'in the end'} it took ${count(familyRequests)}.`;
}

/** Never a part of how the crawl ended: profiles lag, count what is hidden, and lists hide what is counted. */
function compared({ kind }: CrawlRow, { stored, reported, reportedAt }: CountPair, now: number): string {
  const all = `Stored in all: ${countOf(stored, kindTable[kind as KindName].items)}`;
  if (reported === null) return `${all}; the service was not seen to say how many there are.`;
  const score = percent(scoreOf({ stored, reported }));
  const share = score === '' ? '' : ` (${score})`;
  const when = reportedAt === null ? '' : ` as of ${ago(reportedAt, now)}`;
  return `${all}; the service's own count was ${count(reported)}${share}${when}, and may be stale.`;
}

/** `1 tweet`, `2 tweets`: the kinds table has them in the plural. */
const countOf = (n: number, items: string): string => plural(n, items.replace(/s$/, ''), items);

/** What the store has of the list without a gap, whichever crawls it took. */
function covered({ intervals, gaps }: Shown): string | undefined {
  if (intervals.length === 0) return undefined;
  const spans = intervals.map(({ kind, oldestAt, newestAt, bottom }) => {
    const isProven = bottom === 'served' && isPagedKind(kind);
    const end = bottom === null ? '' : isProven ? ', where the list ends' : ', where it seems to end';
    return `from ${second(newestAt)} down to ${second(oldestAt)}${end}`;
  });
  const holes = gaps.map((gap) => {
    const to = gap.olderAt === null ? 'down' : `down to ${second(gap.olderAt)}`;
    return `from ${second(gap.newerAt)} ${to} (${gapInWords(gap)})`;
  });
  const unknown = holes.length === 0 ? 'no gap' : `${plural(holes.length, 'gap')}: ${told(holes)}`;
  return `Known complete of the list: ${told(spans)}; ${unknown}.`;
}

const MOST_TOLD = 3;
const told = (parts: readonly string[]): string =>
  [...parts.slice(0, MOST_TOLD), ...(parts.length > MOST_TOLD ? [`${count(parts.length - MOST_TOLD)} more`] : [])].join(
    ', ',
  );

/** Only 404 for itself proves that a tweet is gone. */
function missing({ absent: { suspected, gone, back } }: Shown): string | undefined {
  if (suspected + gone + back === 0) return undefined;
  return `Not where they were before: ${plural(suspected + gone + back, 'tweet')}; ${count(gone)} of them gone by the service's own word, ${count(suspected)} only suspected, ${count(back)} seen again since.`;
}

/** Law 7: once is no proof. */
function lacking({ missed, ended }: CompleteListRow): string | undefined {
  if (missed + ended === 0) return undefined;
  const [once, twice] = [missed, ended].map((n) => plural(n, 'edge'));
  return `Of those stored before, ${once} had gone missing since the last list; ${twice}, missing once already, ended.`;
}

/** How often it began again from the top. */
export const restartsOf = ({ guard }: CrawlRow): number => readMemory(guard).refused?.length ?? 0;

function restarts(crawl: CrawlRow): string | undefined {
  const n = restartsOf(crawl);
  if (n === 0) return undefined;
  const times = n === 1 ? 'once' : `${count(n)} times`;
  return `The service refused or forgot its cursor ${times}, and it began again from the top.`;
}

function offspring({ children }: Shown): string | undefined {
  const parts = Object.entries(children).map(([word, n]) => `${count(n)} ${word}`);
  const total = Object.values(children).reduce((sum, n) => sum + n, 0);
  return total === 0 ? undefined : `Of it came ${plural(total, 'crawl')}: ${parts.join(', ')}.`;
}

function setAside({ crawl, rejects }: Shown): string | undefined {
  if (crawl.rejected === 0) return undefined;
  const lines = rejects.map(({ path, reason }) => `  ${path} ${reason}`);
  const more = sameDatabase(
    `  \`trawl sql "select * from rejects where crawl_id = ${crawl.id}"\` shows them whole; after an update, \`trawl rejects retry\` reads them again`,
  );
  return [`Set aside: ${plural(crawl.rejected, 'item')} that could not be stored.`, ...lines, more].join('\n');
}

function requestTable(requests: readonly RequestGroup[]): string {
  const rows = requests.map(({ endpoint, status, requests: n, bytes, ms }) => [
    endpoint,
    status === null ? 'no answer' : String(status),
    count(n),
    size(bytes),
    `${span(ms / n)}`,
  ]);
  return renderTable(['endpoint', 'status', 'requests', 'bytes', 'each took'], rows, { right: [2, 3] });
}
