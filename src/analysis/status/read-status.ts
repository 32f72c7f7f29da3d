import { type Overview, readOverview } from '#analysis/crawls/crawl-overview.ts';
import { answerCrawl } from '#analysis/crawls/describe-crawl.ts';
import { measureStore, readDisk } from '#analysis/disk-answer.ts';
import { answerShipLag, measureShipLag } from '#analysis/ship-lag.ts';
import type { QueueReading } from '#crawl/queue/queue-snapshot.ts';
import { readShipTargets } from '#store/outbox/ship-targets.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { MinFreeSpace } from '#store/sqlite/disk-space.ts';
import { answerOutage, answerPause, answerQuota, findQuota, type QuotaPolicy } from './quota-answer.ts';
import type { StoreStatus } from './status-model.ts';
import { answerWorkers, listNextTimes } from './workers-answer.ts';

/** A store, its queue, and the settings of the process that asks. */
export interface StatusSource {
  readonly db: Db;
  /** The file of the store. */
  readonly path: string;
  readonly queue: QueueReading;
  readonly settings: QuotaPolicy & { readonly minFree: MinFreeSpace | undefined };
  readonly now: number;
}

/** Reads the state of a store. It sends no request. */
export function readStatus({ db, path, queue, settings, now }: StatusSource): StoreStatus {
  const overview = readOverview(db, now);
  const { quota, outage } = queue && 'quota' in queue ? queue : {};
  return {
    at: now,
    db: { path, ...measureStore(db, path) },
    disk: readDisk(path, db, settings.minFree, now),
    workers: answerWorkers(overview, queue, listNextTimes(db, now).filter((at) => at <= now).length),
    queue: toQueue(queue),
    outage: answerOutage(outage, overview.paused, now),
    quota: answerQuota(
      findQuota(queue, settings, () => overview.sample),
      now,
    ),
    crawls: groupByKind(overview),
    active: overview.active.crawls.map(answerCrawl),
    paused: overview.paused.map((pause) => answerPause(pause, { quota, outage }, now)),
    ship: readShipTargets(db).map((target) => answerShipLag(measureShipLag(target, now), now)),
    unknownRequests: overview.unknownRequests,
    rates: overview.rates.map(({ ms, ...rate }) => ({ seconds: ms / 1000, ...rate })),
  };
}

function toQueue(queue: QueueReading): StoreStatus['queue'] {
  if (!queue || 'problem' in queue) return null;
  const { active = 0, waiting = 0, delayed = 0 } = queue.counts;
  return { description: queue.description, active, waiting, delayed };
}

function groupByKind({ counts }: Overview): StoreStatus['crawls'] {
  const kinds: Record<string, StoreStatus['crawls'][string]> = {};
  for (const { kind, state, n } of counts) kinds[kind] = { ...kinds[kind], [state]: n };
  return kinds;
}
