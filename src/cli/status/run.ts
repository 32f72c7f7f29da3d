import { readOverview } from '../../analysis/crawls/overview.ts';
import { type Clock, SECOND, systemClock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { getConfig, getContext, type RunOptions } from '../context.ts';
import { print } from '../shared/common-options.ts';
import { readDiskReport } from '../shared/disk-report.ts';
import { readStore } from '../shared/existing-store.ts';
import { endOnInterrupt } from '../shared/signals.ts';
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
export async function showStatus(words: StatusOptions): Promise<void> {
  const config = getConfig();
  await readStore(words.db, async (db) => {
    await using view = createQueueView({ config, place: words.db, db });
    const look = () => statusOf(db, view, words.db, config);
    if (words.watch) return await watch(look, words.json ?? false, systemClock);
    const status = await look();
    print(words.json ? JSON.stringify(toStatusJson(status), null, 2) : formatStatus(status));
  });
}

async function statusOf(db: Db, view: QueueView, path: string, config: Config): Promise<StatusReport> {
  const queue = await view.look();
  const overview = readOverview(db, systemClock.now());
  const disk = readDiskReport(path, db, config, overview.at);
  return {
    db: path,
    bytes: measureStoreBytes(path),
    disk,
    overview,
    queue,
    hasRedisUrl: config.redisUrl !== undefined,
  };
}

async function watch(look: () => Promise<StatusReport>, asJson: boolean, clock: Clock): Promise<void> {
  const { stdout } = getContext().streams;
  const gone = new AbortController();
  stdout.once('error', () => gone.abort());
  const ended = AbortSignal.any([endOnInterrupt(), gone.signal]);
  const inPlace = stdout.isTTY && !asJson;
  let drawn = 0;
  while (!ended.aborted) {
    const status = await look();
    if (inPlace) drawn = redraw(stdout, formatStatus(status), drawn);
    else print(asJson ? JSON.stringify(toStatusJson(status)) : `${formatStatus(status)}\n`);
    await clock.sleep(inPlace ? REDRAW_MS : PRINT_MS, ended).catch(() => undefined);
  }
}

const UP = (lines: number): string => (lines > 0 ? `\u001B[${lines}A` : '');
const TO_LINE_END = '\u001B[K';
const TO_END = '\u001B[J';
/** Disables line wrap, so that the number of drawn lines is known. */
const NO_WRAP = ['\u001B[?7l', '\u001B[?7h'] as const;

/** Redraws over the last `drawn` lines, as much as fits. Returns the number of drawn lines. */
function redraw(stdout: RunOptions['streams']['stdout'], text: string, drawn: number): number {
  const lines = text.split('\n').slice(0, Math.max(1, (stdout.rows || 24) - 1));
  const block = lines.map((line) => `${line}${TO_LINE_END}\n`).join('');
  stdout.write(`${UP(drawn)}\r${NO_WRAP[0]}${block}${TO_END}${NO_WRAP[1]}`);
  return lines.length;
}
