import { type CountPair, readCountPair, computeScore } from '../../analysis/account-counts.ts';
import { readCrawlDetail } from '../../analysis/crawls/crawl-detail.ts';
import { systemClock } from '../../clock.ts';
import { getKind } from '../../kinds/kinds.ts';
import { parseAccount } from '../../kinds/target.ts';
import type { CrawlRow } from '../../store/schema/crawl-row.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { createStoreReads } from '../../store/store-reads.ts';
import { toCoverageJson } from '../coverage/coverage-json.ts';
import { print } from '../shared/common-options.ts';
import { readStore } from '../shared/existing-store.ts';
import { toCrawlJson } from '../shared/summary.ts';
import { suggestNextStep } from '../targets/describe-crawl.ts';
import { findRenamedHandle } from '../targets/renamed-handles.ts';
import { toIso } from '../terminal/times.ts';
import { type CrawlIdsOptions, unknownCrawlError } from './cancel-resume.ts';
import { explainCrawl, countRestarts, type ExplainedCrawl } from './explain.ts';

/** Prints explanations of crawls. @throws TrawlError for an unknown id. */
export async function printCrawls(ids: readonly number[], { db: path, json }: CrawlIdsOptions): Promise<void> {
  const now = systemClock.now();
  const shown = await readStore(path, (db) => ids.map((id) => explain(db, id, now)));
  if (json) return print(JSON.stringify({ crawls: shown.map(toExplainedJson) }, null, 2));
  print(shown.map((one) => explainCrawl(one, now)).join('\n\n'));
}

function explain(db: Db, id: number, now: number): ExplainedCrawl {
  const detail = readCrawlDetail(db, id);
  if (!detail) throw unknownCrawlError([id]);
  const moved = findRenamedHandle(db, detail.crawl);
  return {
    ...detail,
    renamed: moved,
    counts: readCounts(db, detail.crawl),
    next: suggestNextStep(detail.crawl, now, { moved, gaps: detail.gaps }),
  };
}

function readCounts(db: Db, crawl: CrawlRow): CountPair | undefined {
  const { countColumn, targetType } = getKind(crawl.kind);
  if (!countColumn || targetType !== 'account') return undefined;
  const account = parseAccount(crawl.target);
  const restId =
    crawl.targetRestId ?? ('id' in account ? account.id : createStoreReads(db).userByHandle(account.handle)?.restId);
  return restId === undefined ? undefined : readCountPair(db, restId, countColumn);
}

const toExplainedJson = ({
  crawl,
  renamed,
  children,
  requests,
  treeRequests,
  counts,
  intervals,
  gaps,
  listSnapshot,
  deletions,
  rejects,
  dropped,
  next,
}: ExplainedCrawl) => ({
  ...toCrawlJson(crawl),
  renamed: renamed?.description ?? null,
  plan:
    crawl.plannedRequestsMin === null
      ? null
      : {
          requests: {
            min: crawl.plannedRequestsMin,
            expected: crawl.plannedRequestsExpected,
            max: crawl.plannedRequestsMax,
          },
          sent: treeRequests,
        },
  children,
  requestsByOutcome: requests,
  counts:
    counts === undefined ? null : { ...counts, score: computeScore(counts), reportedAt: toIso(counts.reportedAt) },
  restarts: countRestarts(crawl),
  coverage: intervals.length === 0 ? null : toCoverageJson({ intervals, gaps }),
  edges: listSnapshot === undefined ? null : { missed: listSnapshot.missedCount, ended: listSnapshot.endedCount },
  deletions,
  firstRejects: rejects,
  droppedFields: dropped,
  next,
});
