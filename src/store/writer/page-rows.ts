import { prepareRuns } from '../crawls/runs.ts';
import { compileUpsert, takeLatest, takeSum } from '../merge/merge-rules.ts';
import { prepareUpserts } from '../merge/upserts.ts';
import type { UserCache } from '../merge/user-cache.ts';
import type { PageCommit, RequestEntry } from '../schema/messages.ts';
import type { PageRows } from '../schema/rows.ts';
import { communityTweets, drift, droppedFields, listTweets, rawPages, rejects, requests } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { bound, compileInsert, compileStatement } from '../sqlite/statement.ts';

/** The result of storing rows. */
interface StoredRows {
  /** New items: edges, tweets or, on a page of neither, users. */
  readonly newItems: number;
  /** Changed users and tweets. */
  readonly changes: number;
}

export interface StoredPage extends StoredRows {
  /** The first body and the last request. */
  readonly rawPageId: number | null;
  readonly requestId: number | null;
}

/** Writes the parts of a page, inside the caller's transaction. Prepared once per connection. */
export function preparePageRows(db: Db, memory: UserCache) {
  const runs = prepareRuns(db);
  const upserts = prepareUpserts(db, memory);

  const insertRaw = compileInsert(db, rawPages);
  const insertRequest = compileInsert(db, requests);
  const insertReject = compileInsert(db, rejects);
  const counted = { lastSeenAt: takeLatest, occurrences: takeSum };
  const upsertDrift = compileUpsert(db, drift, ['endpoint', 'field'], counted);
  const upsertDropped = compileUpsert(db, droppedFields, ['crawlId', 'endpoint', 'field', 'reason'], counted);
  const member = { tweetId: bound.tweetId, firstSeenAt: bound.at };
  const communityTweet = db.insert(communityTweets).values({ communityId: bound.groupId, ...member });
  const listTweet = db.insert(listTweets).values({ listId: bound.groupId, ...member });
  const insertMember = {
    community: compileStatement(communityTweet.onConflictDoNothing()),
    list: compileStatement(listTweet.onConflictDoNothing()),
  };

  function storeRows(rows: PageRows, at: number, firstRank: number, listed = 0): StoredRows {
    const users = upserts.users(rows.users, at);

    const searchId = rows.search === undefined ? undefined : upserts.search(rows.search, at);
    const groups = (['community', 'list'] as const).flatMap((kind) =>
      rows[kind] ? [{ kind, groupId: upserts.group(kind, rows[kind], at) }] : [],
    );
    let newTweets = 0;
    let changes = users.changedUsers;
    const tweetIds = new Map<string, number>();
    for (const [i, row] of rows.tweets.entries()) {
      const authorId = row.authorRestId == null ? null : (users.ids.get(row.authorRestId) ?? null);
      const shown = row.isPinned ? 0 : listed;
      const { id: tweetId, isNew, hasChanged } = upserts.tweet(row, authorId, at, shown);
      if (isNew) newTweets++;
      if (hasChanged) changes++;
      if (rows.nested) tweetIds.set(row.restId, tweetId);
      if (searchId !== undefined) upserts.searchHit(searchId, tweetId, firstRank + i, at);
      for (const { kind, groupId } of groups) insertMember[kind].run({ groupId, tweetId, at });
    }

    if (rows.nested) {
      const { tweetId, replies } = rows.nested;
      const replyIds = replies.map((reply) => tweetIds.get(reply)!);
      upserts.nestedReplies(tweetIds.get(tweetId)!, replyIds, at);
    }

    let newEdges = 0;
    for (const { side, owner, members } of rows.follows) {
      const ids = members.map((restId) => users.ids.get(restId)!);
      newEdges += upserts.follows(side, users.ids.get(owner)!, ids, at);
    }

    const newItems = rows.follows.length > 0 ? newEdges : rows.tweets.length > 0 ? newTweets : users.newUsers;
    return { newItems, changes };
  }

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
      const requestId = storeRequests(crawlId, page.requests);
      const kept = page.storedBodyIds ?? page.bodies.map((raw) => insertRaw.run({ ...raw, crawlId }).lastInsertRowid);
      for (const { at, rows, responseIndex = 0 } of [...(page.lookups ?? []), page]) {
        const endpoint = endpoints[responseIndex] ?? '';
        const rawPageId = kept[responseIndex] ?? null;
        for (const reject of rows.rejects)
          insertReject.run({ ...reject, crawlId, rawPageId, endpoint, rejectedAt: at });
        for (const dropped of rows.dropped ?? [])
          upsertDropped.run({
            ...{ ...dropped, crawlId, endpoint },
            ...{ occurrences: dropped.count, firstSeenAt: at, lastSeenAt: at },
          });
        for (const { field, sample } of rows.drift) {
          upsertDrift.run({ endpoint, field, sample, firstSeenAt: at, lastSeenAt: at, occurrences: 1 });
        }
      }
      let changes = 0;
      for (const { rows, at } of page.lookups ?? []) changes += storeRows(rows, at, firstRank).changes;
      const stored = storeRows(page.rows, page.at, firstRank, listed);
      return { newItems: stored.newItems, changes: changes + stored.changes, rawPageId: kept[0] ?? null, requestId };
    },
  };
}
