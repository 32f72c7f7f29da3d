import { answerCrawl } from '../analysis/crawls/crawl-answer.ts';
import { describeDiskEvent, describeOutageEvent } from '../crawl/gates/hold-events.ts';
import type { DiskEvent } from '../crawl/gates/outage/disk-guard.ts';
import type { OutageEvent } from '../crawl/gates/outage/outage-events.ts';
import type { CrawlRow } from '../store/schema/crawl-row.ts';
import type { EventQueue } from './event-queue.ts';
import type { ProgressSnapshot } from './run/follow-crawls.ts';
import type { CrawlEvent, WorkEvent } from './types.ts';

/** Returns listeners that push the events that workers and runs share. */
export const createWorkListener = (events: Pick<EventQueue<WorkEvent>, 'push'>) => ({
  onWarning: (message: string): void => events.push({ type: 'warning', message }, `warning ${message}`),
  onOutage(event: OutageEvent): void {
    const isOver = event.event === 'closed';
    const endpoints = isOver ? [] : event.endpoints;
    events.push({ type: 'outage', isOver, endpoints, message: describeOutageEvent(event) }, 'outage');
  },
  onDisk(event: DiskEvent): void {
    events.push({ type: 'disk', isOver: event.event === 'enough', message: describeDiskEvent(event) }, 'disk');
  },
});

/** Returns a function that pushes an event for each crawl that has changed since the last call, and for a changed quota. */
export function createChangeReporter(events: Pick<EventQueue<CrawlEvent>, 'push'>) {
  const reported = new Map<number, string>();
  let lastLeft: number | undefined;
  return (rows: readonly CrawlRow[], quota?: ProgressSnapshot['quota']): void => {
    for (const row of rows) {
      const { id, state, reason, error, pages, items, requests } = row;
      const version = [state, reason, error, pages, items, requests].join('\n');
      if (reported.get(id) === version) continue;
      reported.set(id, version);
      events.push({ type: 'crawl', crawl: answerCrawl(row) }, `crawl ${id}`);
    }
    const { limit, estimate: left } = quota ?? {};
    if (limit === undefined || left === undefined || left === lastLeft) return;
    lastLeft = left;
    events.push({ type: 'quota', left, limit }, 'quota');
  };
}
