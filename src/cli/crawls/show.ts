import { type CountPair, countPair, scoreOf } from '../../analysis/account-counts.ts';
import { crawlDetail } from '../../analysis/crawls/crawl-detail.ts';
import { systemClock } from '../../clock.ts';
import { type KindName, kindTable } from '../../kinds/kinds.ts';
import { accountOf } from '../../kinds/target.ts';
import { createReads } from '../../store/reads.ts';
import type { CrawlRow } from '../../store/schema/messages.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { ledgerJson } from '../coverage/coverage-json.ts';
import { print } from '../shared/common-options.ts';
import { readStore } from '../shared/existing-store.ts';
import { crawlJson } from '../shared/summary.ts';
import { nextStep } from '../targets/crawl-names.ts';
import { movedHandle } from '../targets/renamed-handles.ts';
import { iso } from '../terminal/times.ts';
import { type NamedWords, noSuch } from './cancel-resume.ts';
import { explainCrawl, restartsOf, type Shown } from './explain.ts';

/** Explains crawls. @throws TrawlError for a number that no crawl has. */
export async function showCrawls(ids: readonly number[], { db: path, json }: NamedWords): Promise<void> {
  const now = systemClock.now();
  const shown = await readStore(path, (db) => ids.map((id) => show(db, id, now)));
  if (json) return print(JSON.stringify({ crawls: shown.map(shownJson) }, null, 2));
  print(shown.map((one) => explainCrawl(one, now)).join('\n\n'));
}

function show(db: Db, id: number, now: number): Shown {
  const detail = crawlDetail(db, id);
  if (!detail) throw noSuch([id]);
  const moved = movedHandle(db, detail.crawl);
  return {
    ...detail,
    moved,
    counts: countsFor(db, detail.crawl),
    next: nextStep(detail.crawl, now, { moved, gaps: detail.gaps }),
  };
}

function countsFor(db: Db, crawl: CrawlRow): CountPair | undefined {
  const { reported, target } = kindTable[crawl.kind as KindName];
  if (!reported || target !== 'account') return undefined;
  const account = accountOf(crawl.target);
  const restId =
    crawl.targetId ?? ('id' in account ? account.id : createReads(db).userByHandle(account.handle)?.restId);
  return restId === undefined ? undefined : countPair(db, restId, reported);
}

const shownJson = ({
  crawl,
  moved,
  children,
  requests,
  familyRequests,
  counts,
  intervals,
  gaps,
  list,
  absent,
  rejects,
  dropped,
  next,
}: Shown) => ({
  ...crawlJson(crawl),
  moved: moved?.inWords ?? null,
  plan:
    crawl.plannedLeast === null
      ? null
      : { requests: crawl.planned, least: crawl.plannedLeast, most: crawl.plannedMost, took: familyRequests },
  children,
  requestsByOutcome: requests,
  counts: counts === undefined ? null : { ...counts, score: scoreOf(counts), reportedAt: iso(counts.reportedAt) },
  restarts: restartsOf(crawl),
  coverage: intervals.length === 0 ? null : ledgerJson({ intervals, gaps }),
  edges: list === undefined ? null : { missed: list.missed, ended: list.ended },
  absent,
  firstRejects: rejects,
  droppedFields: dropped,
  next,
});
