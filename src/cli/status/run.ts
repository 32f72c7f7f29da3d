import { readStatus } from '#analysis/status/read-status.ts';
import type { StoreStatus, QuotaAnswer, WorkersAnswer } from '#analysis/status/status-model.ts';
import { type Clock, SECOND, systemClock } from '#base/clock.ts';
import { toSingleLine } from '#base/text.ts';
import { formatDocument } from '#base/units.ts';
import { getConfig, getContext } from '#cli/context.ts';
import { formatCrawlTable } from '#cli/crawls/list.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { readStore } from '#cli/shared/existing-store.ts';
import { endOnInterrupt } from '#cli/shared/signals.ts';
import { createRedraw } from '#cli/terminal/output.ts';
import {
  print,
  printJson,
  formatBytes,
  formatCount,
  formatDuration,
  formatSecond,
  hint,
  pluralize,
  renderTable,
} from '#cli/terminal/print.ts';
import { createQueueView } from '#library/run/queue-view.ts';
import { PRIORITIES } from '#service/quota/priorities.ts';
import { CRAWL_STATES } from '#store/schema/tables/crawl-states.ts';

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

/** Formats the status for a terminal. */
export function formatStatus(status: StoreStatus): string {
  const { at, db, disk, workers, queue, outage, ship, quota, paused, unknownRequests } = status;
  const head = [
    `store   ${db.path}, ${formatBytes(db.bytes)}, at ${formatSecond(at)}`,
    `        of which ${formatBytes(db.freePageBytes)} are free pages; write-ahead log ${formatBytes(db.walBytes)}`,
    `disk    ${disk.sentence}`,
    `workers ${formatWorkers(workers)}`,
    ...(queue === null ? [] : [`queue   ${formatQueue(queue)}`]),
    ...(outage === null ? [] : [`service ${toSingleLine(outage.sentence)}`]),
    ...ship.map(({ target, sentence }) => `ship    to ${target}: ${sentence}`),
    `quota   ${[quota.sentence, ...listStops(quota)].join('\n        ')}`,
    ...paused.map(({ crawls, sentence }) => `paused  ${pluralize(crawls, 'crawl')}: ${toSingleLine(sentence)}`),
    ...(unknownRequests === 0
      ? []
      : [`unknown at most ${pluralize(unknownRequests, 'request')} that killed workers sent without a record`]),
  ].join('\n');
  return [head, renderCrawlCounts(status), renderActiveCrawls(status), renderRates(status)]
    .filter((part) => part !== '')
    .join('\n\n');
}

const formatWorkers = ({ sentence, command }: WorkersAnswer): string =>
  command === null ? sentence : `${sentence}; ${hint(command)} runs them`;

const formatQueue = ({ active, waiting, delayed, description }: NonNullable<StoreStatus['queue']>): string =>
  `${formatCount(active)} active, ${formatCount(waiting)} waiting, ${formatCount(delayed)} delayed; ${description}`;

/** The priorities that may send nothing now, by the reason. */
function listStops({ priorities }: QuotaAnswer): string[] {
  const stops = new Map<string, string[]>();
  for (const one of PRIORITIES) {
    const { hold, headroom } = priorities[one];
    // The sentence of the quota says it.
    if (hold === null || hold.state === 'token_info') continue;
    const who = hold.state === 'low' ? `${one} (leaves ${formatCount(headroom ?? 0)})` : one;
    stops.set(hold.sentence, [...(stops.get(hold.sentence) ?? []), who]);
  }
  return [...stops].map(([why, who]) => `${who.join(', ')} paused: ${why}`);
}

function renderCrawlCounts({ crawls }: StoreStatus): string {
  const kinds = Object.entries(crawls);
  if (kinds.length === 0) return 'no crawls yet';
  const shown = CRAWL_STATES.filter((state) => kinds.some(([, states]) => states[state] !== undefined));
  return renderTable(
    ['crawls', ...shown],
    kinds.map(([kind, states]) => [kind, ...shown.map((state) => states[state])]),
  );
}

function renderActiveCrawls({ active, crawls, at }: StoreStatus): string {
  if (active.length === 0) return '';
  const total = Object.values(crawls).reduce((sum, { running = 0, paused = 0 }) => sum + running + paused, 0);
  const more = total - active.length;
  return formatCrawlTable(active, at) + (more > 0 ? `\nand ${pluralize(more, 'crawl')} more` : '');
}

function renderRates({ rates }: StoreStatus): string {
  const hasNotFound = rates.some(({ notFound }) => notFound > 0);
  return renderTable(
    ['rates', 'requests', 'failed', ...(hasNotFound ? ['not found'] : []), 'items', 'bytes'],
    rates.map(({ seconds, requests, failed, notFound, items, bytes }) => [
      `last ${formatDuration(1000 * seconds)}`,
      requests,
      failed,
      ...(hasNotFound ? [notFound] : []),
      items,
      formatBytes(bytes),
    ]),
  );
}
