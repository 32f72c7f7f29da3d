import { readOverview } from '../../analysis/crawls/crawl-overview.ts';
import { measureStore, readDiskReport } from '../../analysis/disk-report.ts';
import { measureShipLag } from '../../analysis/ship-lag.ts';
import { type Clock, SECOND, systemClock } from '../../base/clock.ts';
import type { Config } from '../../config.ts';
import { createQueueView, type QueueView } from '../../library/run/queue/queue-view.ts';
import { readShipTargets } from '../../store/outbox/ship-targets.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { getConfig, getContext } from '../context.ts';
import type { CommonOptions } from '../shared/common-options.ts';
import { readStore } from '../shared/existing-store.ts';
import { endOnInterrupt } from '../shared/signals.ts';
import { formatDocument, print, printJson } from '../terminal/print.ts';
import { createRedraw } from '../terminal/progress.ts';
import { type StatusReport, formatStatus, toStatusJson } from './report.ts';

export interface StatusOptions extends CommonOptions {
  readonly watch?: true;
}

const REDRAW_MS = SECOND;
const PRINT_MS = 5 * SECOND;

/** Prints the status, once or until it is interrupted, which is success. */
export async function showStatus(options: StatusOptions): Promise<void> {
  const config = getConfig();
  await readStore(options.db, async (db) => {
    await using view = createQueueView({ config, place: options.db, db });
    const read = () => readStatus(db, view, options.db, config);
    if (options.watch) return await watch(read, options.json ?? false, systemClock);
    const status = await read();
    if (options.json) printJson(toStatusJson(status));
    else print(formatStatus(status));
  });
}

async function readStatus(db: Db, view: QueueView, path: string, config: Config): Promise<StatusReport> {
  const queue = await view.read();
  const overview = readOverview(db, systemClock.now());
  const disk = readDiskReport(path, db, config.minFree, overview.at);
  const ship = readShipTargets(db).map((target) => measureShipLag(target, overview.at));
  return { db: path, size: measureStore(db, path), disk, overview, queue, ship };
}

async function watch(read: () => Promise<StatusReport>, asJson: boolean, clock: Clock): Promise<void> {
  const { stdout } = getContext().streams;
  const closed = new AbortController();
  stdout.once('error', () => closed.abort());
  const ended = AbortSignal.any([endOnInterrupt(), closed.signal]);
  const redraw = stdout.isTTY && !asJson ? await createRedraw(stdout) : undefined;
  while (!ended.aborted) {
    const status = await read();
    const text = asJson ? formatDocument(toStatusJson(status), 0) : formatStatus(status);
    // A small terminal shows the first lines: the last ones matter less.
    if (redraw) redraw(text.split('\n', Math.max(1, (stdout.rows ?? 24) - 1)).join('\n'));
    else print(asJson ? text : `${text}\n`);
    await clock.sleep(redraw ? REDRAW_MS : PRINT_MS, ended).catch(() => undefined);
  }
}
