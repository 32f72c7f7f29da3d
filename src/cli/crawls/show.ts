import { isCountedList, readCountPair } from '../../analysis/account-counts.ts';
import type { CountPair } from '../../analysis/coverage/coverage-model.ts';
import { answerCrawl } from '../../analysis/crawls/crawl-answer.ts';
import { readCrawlDetail } from '../../analysis/crawls/crawl-detail.ts';
import { suggestNextStep } from '../../analysis/crawls/describe-crawl.ts';
import { systemClock } from '../../base/clock.ts';
import type { CrawlRow } from '../../store/schema/crawl-row.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { createStoreReads } from '../../store/store-reads.ts';
import { toCountsJson, toIntervalsJson } from '../coverage/coverage-json.ts';
import type { CommonOptions } from '../shared/common-options.ts';
import { readStore } from '../shared/existing-store.ts';
import { findAccount } from '../targets/find-account.ts';
import { findRenamedHandle } from '../targets/renamed-handles.ts';
import { hint, print, printJson } from '../terminal/print.ts';
import { unknownCrawlError } from './change-crawls.ts';
import { explainCrawl, countRestarts, type ExplainedCrawl } from './explain.ts';

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
  const { crawl, gaps } = detail;
  const renamed = findRenamedHandle(db, crawl);
  const next = suggestNextStep(crawl, { now, renamedTarget: renamed?.target, gaps, hint });
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
