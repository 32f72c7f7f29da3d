import { compileUpsert, takeLatest } from '../merge/merge-rules.ts';
import type { CrawlSource } from '../schema/messages.ts';
import { crawlSources } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';

/** Prepares the record of what crawls are crawled with: version, service and key. */
export function prepareCrawlSources(db: Db): (crawlId: number, source: CrawlSource, at: number) => void {
  const key = ['crawlId', 'trawlVersion', 'serviceHost', 'keyLabel'] as const;
  const upsert = compileUpsert(db, crawlSources, key, { lastUsedAt: takeLatest });
  return (crawlId, source, at) => void upsert.run({ ...source, crawlId, firstUsedAt: at, lastUsedAt: at });
}
