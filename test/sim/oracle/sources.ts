import { crawlSourceOf } from '../process.ts';
import type { Evidence } from './evidence.ts';

interface SourceRow {
  readonly crawl_id: number;
  readonly key_label: string;
  readonly first_used_at: number;
  readonly last_used_at: number;
}

/** Each request was sent by a process that the crawl records, while it records it; and only such processes are recorded. */
export function checkSources({ db, log, activations, fail }: Evidence): void {
  const rows = db.prepare('select * from crawl_sources').all() as SourceRow[];
  for (const { n, sender, at, counted } of log) {
    const { keyLabel } = crawlSourceOf(sender.process);
    const row = rows.find(({ crawl_id, key_label }) => crawl_id === sender.crawlId && key_label === keyLabel);
    // A crawl may share the response of a request that was sent before it began; that is not counted.
    if (row === undefined || (counted && row.first_used_at > at))
      fail('provenance', `request ${n} was sent with ${keyLabel}, which crawl ${sender.crawlId} does not record`);
  }
  for (const { crawl_id, key_label } of rows) {
    if (
      !activations.some(({ crawlId, process }) => crawlId === crawl_id && crawlSourceOf(process).keyLabel === key_label)
    )
      fail('provenance', `crawl ${crawl_id} records ${key_label}, which never worked on it`);
  }
}
