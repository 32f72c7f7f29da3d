import { readOverview } from '../../analysis/crawls/overview.ts';
import { type Clock, SECOND, systemClock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { getConfig, getContext } from '../context.ts';
import { print } from '../shared/common-options.ts';
import { readDiskReport } from '../shared/disk-report.ts';
import { readStore } from '../shared/existing-store.ts';
import { endOnInterrupt } from '../shared/signals.ts';
import { createRedraw } from '../terminal/progress.ts';
import { createQueueView, type QueueView } from './queue-view.ts';
import { measureStoreBytes, type StatusReport, formatStatus, toStatusJson } from './report.ts';

export interface StatusOptions {
  readonly db: string;
  readonly watch?: true;
  readonly json?: true;
}

const REDRAW_MS = SECOND;
const PRINT_MS = 5 * SECOND;

/** Prints the status, once or until it is interrupted, which is success. */
export async function showStatus(options: StatusOptions): Promise<void> {
  const config = getConfig();
  await readStore(options.db, async (db) => {
    await using view = createQueueView({ config, place: options.db, db });
    const look = () => readStatus(db, view, options.db, config);
    if (options.watch) return await watch(look, options.json ?? false, systemClock);
    const status = await look();
    print(options.json ? JSON.stringify(toStatusJson(status), null, 2) : formatStatus(status));
  });
}

async function readStatus(db: Db, view: QueueView, path: string, config: Config): Promise<StatusReport> {
  const queue = await view.look();
  const overview = readOverview(db, systemClock.now());
  const disk = readDiskReport(path, db, config, overview.at);
  return {
    db: path,
    bytes: measureStoreBytes(path),
    disk,
    overview,
    queue,
  };
}

async function watch(look: () => Promise<StatusReport>, asJson: boolean, clock: Clock): Promise<void> {
  const { stdout } = getContext().streams;
  const gone = new AbortController();
  stdout.once('error', () => gone.abort());
  const ended = AbortSignal.any([endOnInterrupt(), gone.signal]);
  const redraw = stdout.isTTY && !asJson ? await createRedraw(stdout) : undefined;
  while (!ended.aborted) {
    const status = await look();
    // The first lines of a small terminal, since the last ones matter less.
    if (redraw)
      redraw(
        formatStatus(status)
          .split('\n')
          .slice(0, Math.max(1, (stdout.rows ?? 24) - 1))
          .join('\n'),
      );
    else print(asJson ? JSON.stringify(toStatusJson(status)) : `${formatStatus(status)}\n`);
    await clock.sleep(redraw ? REDRAW_MS : PRINT_MS, ended).catch(() => undefined);
  }
}
