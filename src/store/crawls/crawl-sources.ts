import { existsSync, statSync } from 'node:fs';
import { compileUpsert, takeLatest } from '#store/merge/merge-rules.ts';
import type { CrawlSource } from '#store/schema/commit-messages.ts';
import { crawlSources } from '#store/schema/tables.ts';
import {
  type Db,
  openReadOnly,
  refuseUnfinishedMerge,
  requireCurrentVersion,
  requireTables,
} from '#store/sqlite/database.ts';

/**
 * Whether a store has had an answer of a service: a sample of token-info by its key, or the response to a crawl of its host.
 * @param keyHash a hash of the service's address and the API key
 * @throws TrawlError if the file cannot be read as a store
 */
export function hasAnswered(path: string, { host, keyHash }: { host: string; keyHash: string }): boolean {
  refuseUnfinishedMerge(path);
  if (!existsSync(path) || statSync(path).size === 0) return false;
  using db = openReadOnly(path);
  requireTables(db, path);
  requireCurrentVersion(db, path);
  const answer = db.$client.prepare(
    `select exists (select 1 from _quota_samples where key_hash = @keyHash)
      or exists (select 1 from crawl_sources s join requests r on r.crawl_id = s.crawl_id
        where s.service_host = @host and (r.error is null or r.status in (400, 404)))`,
  );
  return answer.pluck().get({ host, keyHash }) === 1;
}

/** Prepares the record of what crawls are crawled with: version, service and key. */
export function prepareCrawlSources(db: Db): (crawlId: number, source: CrawlSource, at: number) => void {
  const key = ['crawlId', 'trawlVersion', 'serviceHost', 'keyLabel'] as const;
  const upsert = compileUpsert(db, crawlSources, key, { lastUsedAt: takeLatest });
  return (crawlId, source, at) => void upsert.run({ ...source, crawlId, firstUsedAt: at, lastUsedAt: at });
}
