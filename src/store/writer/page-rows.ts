import { toRawPage } from '../../base/raw-bodies.ts';
import { prepareRuns } from '../crawls/runs.ts';
import { compileUpsert, takeLatest, takeSum } from '../merge/merge-rules.ts';
import { prepareStoreRows, type StoredRows } from '../merge/store-rows.ts';
import type { UserCache } from '../merge/user-cache.ts';
import type { PageCommit, RawPage, RequestEntry, ServedPage } from '../schema/commit-messages.ts';
import { drift, droppedFields, rawPages, rejects, requests } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compileInsert } from '../sqlite/statement.ts';

export interface StoredPage extends StoredRows {
  /** The first body and the last request. */
  readonly rawPageId: number | null;
  readonly requestId: number | null;
}

/** Writes the parts of a page, inside the caller's transaction. Prepared once per connection. */
export function preparePageRows(db: Db, userCache: UserCache) {
  const runs = prepareRuns(db);
  const storeRows = prepareStoreRows(db, userCache);
  const insertRaw = compileInsert(db, rawPages);
  const insertRequest = compileInsert(db, requests);
  const insertReject = compileInsert(db, rejects);
  const counted = { lastSeenAt: takeLatest, occurrences: takeSum };
  const upsertDrift = compileUpsert(db, drift, ['endpoint', 'field'], counted);
  const upsertDropped = compileUpsert(db, droppedFields, ['crawlId', 'endpoint', 'field', 'reason'], counted);

  function storeRequests(crawlId: number, entries: readonly RequestEntry[]): number | null {
    runs.countRequests(crawlId, entries);
    let lastId: number | null = null;
    for (const { at: sentAt, ms: durationMs, bytes: responseBytes, ...entry } of entries)
      lastId = insertRequest.run({ ...entry, crawlId, sentAt, durationMs, responseBytes }).lastInsertRowid;
    return lastId;
  }

  return {
    storeRequests,
    storeRows,
    storePage(page: PageCommit, firstRank: number, listed: number): StoredPage {
      const { crawlId, endpoints = [] } = page;
      const storeBody = (body: ServedPage | RawPage): number =>
        insertRaw.run({ ...('encoding' in body ? body : toRawPage(body)), crawlId }).lastInsertRowid;
      const requestId = storeRequests(crawlId, page.requests);
      const kept = page.storedBodyIds ?? page.bodies.map(storeBody);
      for (const { at, rows, responseIndex = 0 } of [...(page.lookups ?? []), page]) {
        const endpoint = endpoints[responseIndex] ?? '';
        const rawPageId = kept[responseIndex];
        const seen = { firstSeenAt: at, lastSeenAt: at };
        for (const reject of rows.rejects)
          insertReject.run({ ...reject, crawlId, rawPageId, endpoint, rejectedAt: at });
        for (const dropped of rows.dropped ?? [])
          upsertDropped.run({ ...dropped, ...seen, crawlId, endpoint, occurrences: dropped.count });
        for (const fieldDrift of rows.drift) upsertDrift.run({ ...fieldDrift, ...seen, endpoint, occurrences: 1 });
      }
      let changes = 0;
      for (const { rows, at } of page.lookups ?? []) changes += storeRows(rows, at, firstRank).changes;
      const stored = storeRows(page.rows, page.at, firstRank, listed);
      return { newItems: stored.newItems, changes: changes + stored.changes, rawPageId: kept[0] ?? null, requestId };
    },
  };
}
