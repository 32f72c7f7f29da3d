import { isCountedList, readCountPair, type CountedList, describeCounts } from '#analysis/account-counts.ts';
import type { CountPair } from '#analysis/coverage/coverage-model.ts';
import { describeReason } from '#analysis/coverage/reasons.ts';
import { readCrawlDetail, type CrawlDetail, type RequestGroup } from '#analysis/crawls/crawl-detail.ts';
import { describeDisorder } from '#analysis/crawls/crawl-evidence.ts';
import {
  answerCrawl,
  suggestNextStep,
  countUnrecordedRequests,
  describeCrawl,
  describeErasedItems,
  describeOptions,
} from '#analysis/crawls/describe-crawl.ts';
import { explainState } from '#analysis/crawls/end-reasons.ts';
import { systemClock } from '#base/clock.ts';
import { listFirst } from '#base/text.ts';
import { toCountsJson, toIntervalsJson } from '#cli/coverage/coverage-report.ts';
import { formatRequests } from '#cli/forecast/format-plan.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { describeDroppedFields } from '#cli/shared/dropped-fields-report.ts';
import { readStore } from '#cli/shared/existing-store.ts';
import { findAccount } from '#cli/targets/find-account.ts';
import { findRenamedHandle, type RenamedHandle } from '#cli/targets/renamed-handles.ts';
import {
  hint,
  print,
  printJson,
  formatCount,
  pluralize,
  formatBytes,
  formatDuration,
  renderTable,
  formatAgo,
  formatSecond,
} from '#cli/terminal/print.ts';
import { wrapIndented } from '#cli/terminal/wrap.ts';
import { parseCheckpoint } from '#service/kinds/checkpoint.ts';
import { isPagedKind } from '#service/kinds/decide-end.ts';
import { getKind } from '#service/kinds/kinds.ts';
import type { ListSnapshotRow } from '#store/evidence/unfollows.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { Db } from '#store/sqlite/database.ts';
import { createStoreReads } from '#store/store-reads.ts';
import { unknownCrawlError } from './change-crawls.ts';

/** Prints explanations of crawls. @throws TrawlError for an unknown id. */
export async function printCrawls(ids: readonly number[], { db: path, json }: CommonOptions): Promise<void> {
  const now = systemClock.now();
  const shown = await readStore(path, (db) => ids.map((id) => explain(db, id, now)));
  if (json) return printJson({ crawls: shown.map(toExplainedJson) });
  print(shown.map((one) => explainCrawl(one, now)).join('\n\n'));
}

function explain(db: Db, id: number, now: number): ExplainedCrawl {
  const detail = readCrawlDetail(db, id);
  if (!detail) throw unknownCrawlError([id]);
  const { crawl, gaps, isReplaced } = detail;
  const renamed = findRenamedHandle(db, crawl);
  const next = suggestNextStep(crawl, { now, renamedTarget: renamed?.target, isReplaced, gaps, hint });
  return { ...detail, renamed, counts: readCounts(db, crawl), next };
}

function readCounts(db: Db, crawl: CrawlRow): CountPair | undefined {
  if (!isCountedList(crawl.kind)) return undefined;
  const restId = crawl.targetRestId ?? findAccount(createStoreReads(db), crawl.target)?.restId;
  return restId === undefined ? undefined : readCountPair(db, restId, crawl.kind);
}

function toExplainedJson(shown: ExplainedCrawl) {
  const { crawl, sources, counts, intervals, gaps, listSnapshot } = shown;
  const { plannedRequestsMin: min, plannedRequestsExpected: expected, plannedRequestsMax: max } = crawl;
  return {
    ...answerCrawl(crawl),
    renamed: shown.renamed?.description ?? null,
    sources,
    plan: min === null ? null : { requests: { min, expected, max }, sent: shown.treeRequests },
    children: shown.children,
    requestsByOutcome: shown.requests,
    counts: counts === undefined ? null : toCountsJson(counts),
    restarts: countRestarts(crawl),
    coverage: intervals.length === 0 ? null : toIntervalsJson({ intervals, gaps }),
    edges: listSnapshot === undefined ? null : { missed: listSnapshot.missedCount, ended: listSnapshot.endedCount },
    deletions: shown.deletions,
    firstRejects: shown.rejects,
    droppedFields: shown.dropped,
    next: shown.next,
  };
}

interface ExplainedCrawl extends CrawlDetail {
  /** Stored rows and the count of the profile; undefined for kinds without such a count. */
  readonly counts: CountPair | undefined;
  /** Set if its handle no longer belongs to its account. */
  readonly renamed: RenamedHandle | undefined;
  readonly next: string;
}

/** Explains one crawl in sentences. */
function explainCrawl(shown: ExplainedCrawl, now: number): string {
  const { crawl, listSnapshot, counts, requests, renamed, next } = shown;
  const body = [
    describeRequest(crawl, now),
    renamed && `${renamed.description}.`,
    describeState(crawl, now),
    describeProgress(crawl),
    describeSources(shown),
    describeUnrecorded(crawl),
    describeErasedItems([crawl]),
    describePlan(shown),
    counts && `All crawls of the list: ${describeCounts(crawl.kind as CountedList, counts)}.`,
    describeCoverage(shown),
    describeDisorder(crawl),
    describeRestarts(crawl),
    listSnapshot && describeUnfollows(listSnapshot),
    describeDeletions(shown),
    describeChildren(shown),
    describeRejects(shown),
    shown.dropped.length > 0 ? `${describeDroppedFields(shown.dropped)}.` : undefined,
    crawl.error !== null && `Last error: ${crawl.error}`,
    next,
  ].filter((sentence) => typeof sentence === 'string');
  const table = requests.length === 0 ? '' : `\n\n${indent(requestTable(requests))}`;
  return `crawl ${crawl.id}: ${describeCrawl(crawl)}\n${wrapIndented(body.join('\n'))}${table}`;
}

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');

function describeRequest(crawl: CrawlRow, now: number): string {
  const options = describeOptions(crawl);
  const { targetRestId } = crawl;
  const hasOtherId = targetRestId !== null && !crawl.target.endsWith(targetRestId);
  const id = hasOtherId ? `; the ${getKind(crawl.kind).targetType}'s id is ${targetRestId}` : '';
  const parent = crawl.parentId === null ? '' : `; a child of crawl ${crawl.parentId}`;
  const when = `${formatAgo(crawl.createdAt, now)} (${formatSecond(crawl.createdAt)})`;
  return `Created ${when}, ${options || 'without limits'}, priority ${crawl.priority}${id}${parent}.`;
}

function describeState(crawl: CrawlRow, now: number): string {
  const { state, finishedAt, startedAt, resumeAt, updatedAt } = crawl;
  const why = explainState(crawl);
  const because = why === '' ? '' : `: ${why}`;
  if (finishedAt !== null) {
    const took = startedAt === null ? 'before it started' : `after ${formatDuration(finishedAt - startedAt)}`;
    return `It ended ${state} ${formatAgo(finishedAt, now)}, ${took}${because}.`;
  }
  const isWaiting = resumeAt !== null && resumeAt > now;
  const wait = isWaiting ? `, until ${formatSecond(resumeAt)} (in ${formatDuration(resumeAt - now)})` : '';
  const updated = startedAt === null ? '' : `; last updated ${formatAgo(updatedAt, now)}`;
  return `It is ${state}${because}${wait}${updated}.`;
}

function describeProgress({ kind, pages, items, newItems, requests, finishedAt }: CrawlRow): string {
  if (pages === 0) return `No page${finishedAt === null ? ' yet' : ''}, for ${pluralize(requests, 'request')}.`;
  const { itemName } = getKind(kind);
  const found = pluralize(items, itemName.replace(/s$/, ''), itemName);
  return `${pluralize(pages, 'page')} with ${found}, ${formatCount(newItems)} of them new, for ${pluralize(requests, 'request')}.`;
}

/** Versions, services and keys. A crawl that did not begin has none. */
function describeSources({ sources }: ExplainedCrawl): string | undefined {
  const [latest, ...earlier] = sources.map(
    ({ serviceHost, trawlVersion, keyLabel }) => `from ${serviceHost} by trawl ${trawlVersion} (key label ${keyLabel})`,
  );
  if (latest === undefined) return undefined;
  return `Crawled ${latest}${earlier.length === 0 ? '' : `; earlier ${joinFirst(earlier)}`}.`;
}

function describeUnrecorded(crawl: CrawlRow): string | undefined {
  const unknown = countUnrecordedRequests(crawl);
  return unknown === 0 ? undefined : `Killed workers sent at most ${pluralize(unknown, 'request')} without a record.`;
}

function describePlan({ crawl, treeRequests }: ExplainedCrawl): string | undefined {
  const { plannedRequestsMin: min, plannedRequestsExpected: expected, plannedRequestsMax: max, finishedAt } = crawl;
  if (min === null) return undefined;
  const was = formatRequests({ min, expected, max });
  return `Planned: ${was}; ${finishedAt === null ? 'sent so far' : 'sent'}: ${formatCount(treeRequests)}.`;
}

function describeCoverage({ intervals, gaps }: ExplainedCrawl): string | undefined {
  if (intervals.length === 0) return undefined;
  const spans = intervals.map(({ kind, oldestAt, newestAt, listEnd }) => {
    const isProven = listEnd === 'served' && isPagedKind(kind);
    const end = listEnd === null ? '' : isProven ? ', the end of the list' : ', the inferred end of the list';
    return `from ${formatSecond(newestAt)} down to ${formatSecond(oldestAt)}${end}`;
  });
  const gapTexts = gaps.map((gap) => {
    const to = gap.olderAt === null ? 'down' : `down to ${formatSecond(gap.olderAt)}`;
    return `from ${formatSecond(gap.newerAt)} ${to} (${describeReason(gap.reason)})`;
  });
  const unknown = gapTexts.length === 0 ? 'no gap' : `${pluralize(gapTexts.length, 'gap')}: ${joinFirst(gapTexts)}`;
  return `Complete: ${joinFirst(spans)}; ${unknown}.`;
}

const MAX_PARTS = 3;
const joinFirst = (parts: readonly string[]): string => listFirst(parts, MAX_PARTS);

/** Only a 404 for the tweet proves that it is deleted. */
function describeDeletions({ deletions: { suspected, confirmed, seenAgain } }: ExplainedCrawl): string | undefined {
  if (suspected + confirmed + seenAgain === 0) return undefined;
  return `Missing from the list: ${pluralize(suspected + confirmed + seenAgain, 'tweet')}; ${formatCount(confirmed)} confirmed as deleted, ${formatCount(suspected)} unconfirmed, ${formatCount(seenAgain)} seen again since.`;
}

/** Invariant 7: one complete list proves no unfollow. */
function describeUnfollows({ missedCount: missed, endedCount: ended }: ListSnapshotRow): string | undefined {
  if (missed + ended === 0) return undefined;
  const [once, twice] = [missed, ended].map((n) => pluralize(n, 'edge'));
  return `Of the stored edges, ${once} missing for the first time; ${twice} missing for the second time, and ended.`;
}

/** The number of restarts from the top. */
const countRestarts = ({ checkpoint }: CrawlRow): number => parseCheckpoint(checkpoint).refusedCursors?.length ?? 0;

function describeRestarts(crawl: CrawlRow): string | undefined {
  const n = countRestarts(crawl);
  if (n === 0) return undefined;
  const times = n === 1 ? 'once' : `${formatCount(n)} times`;
  return `The service refused or forgot its cursor ${times}; the crawl restarted from the top.`;
}

function describeChildren({ children }: ExplainedCrawl): string | undefined {
  const parts = Object.entries(children).map(([state, n]) => `${formatCount(n)} ${state}`);
  const total = Object.values(children).reduce((sum, n) => sum + n, 0);
  return total === 0 ? undefined : `Child crawls: ${formatCount(total)} (${parts.join(', ')}).`;
}

function describeRejects({ crawl, rejects }: ExplainedCrawl): string | undefined {
  if (crawl.rejectedItems === 0) return undefined;
  const lines = rejects.map(({ path, reason }) => `  ${path} ${reason}`);
  const select = hint('sql', `"select * from rejects where crawl_id = ${crawl.id}"`);
  const more = `  ${select} shows them in full; after an update, ${hint('rebuild --rejects')} reads them again`;
  return [`Rejected: ${pluralize(crawl.rejectedItems, 'item')}.`, ...lines, more].join('\n');
}

function requestTable(requests: readonly RequestGroup[]): string {
  const rows = requests.map(({ endpoint, status, requests: n, bytes, durationMs }) => [
    endpoint,
    status === null ? 'no response' : String(status),
    n,
    formatBytes(bytes),
    formatDuration(durationMs / n),
  ]);
  return renderTable(['endpoint', 'status', 'requests', 'bytes', 'mean time'], rows);
}
