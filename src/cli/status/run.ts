import { readStatus } from '../../analysis/status/read-status.ts';
import type { StoreStatus } from '../../analysis/status/status-model.ts';
import { type Clock, SECOND, systemClock } from '../../base/clock.ts';
import { formatDocument } from '../../base/units.ts';
import { createQueueView } from '../../library/run/queue/queue-view.ts';
import { getConfig, getContext } from '../context.ts';
import type { CommonOptions } from '../shared/common-options.ts';
import { readStore } from '../shared/existing-store.ts';
import { endOnInterrupt } from '../shared/signals.ts';
import { print, printJson } from '../terminal/print.ts';
import { createRedraw } from '../terminal/progress.ts';
import { formatStatus } from './report.ts';

export interface StatusOptions extends CommonOptions {
  readonly watch?: true;
}

const REDRAW_MS = SECOND;
const PRINT_MS = 5 * SECOND;

/** Prints the status, once or until it is interrupted, which is success. */
export async function showStatus({ db: path, json, watch }: StatusOptions): Promise<void> {
  const settings = getConfig();
  await readStore(path, async (db) => {
    await using view = createQueueView({ config: settings, place: path, db });
    const read = async () => readStatus({ db, path, queue: await view.read(), settings, now: systemClock.now() });
    if (watch) return await repeat(read, json ?? false, systemClock);
    const status = await read();
    if (json) printJson(status);
    else print(formatStatus(status));
  });
}

async function repeat(read: () => Promise<StoreStatus>, asJson: boolean, clock: Clock): Promise<void> {
  const { stdout } = getContext().streams;
  const closed = new AbortController();
  stdout.once('error', () => closed.abort());
  const ended = AbortSignal.any([endOnInterrupt(), closed.signal]);
  const redraw = stdout.isTTY && !asJson ? await createRedraw(stdout) : undefined;
  while (!ended.aborted) {
    const status = await read();
    const text = asJson ? formatDocument(status) : formatStatus(status);
    // A small terminal shows the first lines: the last ones matter less.
    if (redraw) redraw(text.split('\n', Math.max(1, (stdout.rows ?? 24) - 1)).join('\n'));
    else print(asJson ? text : `${text}\n`);
    await clock.sleep(redraw ? REDRAW_MS : PRINT_MS, ended).catch(() => undefined);
  }
}
