import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { sql } from 'drizzle-orm';
import type { Db } from './database.ts';
import { excluded, latest, placeholders } from './merge.ts';
import type { PageCommit, RawPage, RequestEntry } from './messages.ts';
import type { PageRows } from './rows.ts';
import { communityTweets, drift, listTweets, rawPages, rejects, requests } from './schema.ts';
import { prepareUpserts } from './upserts.ts';

/** What a page's rows came to. */
export interface StoredRows {
  /** Items that the store did not have: edges, tweets or, on a page of neither, users. */
  readonly newItems: number;
}

/** Writes the parts of a page, inside the caller's transaction. Prepared once per connection. */
export function preparePageWriter(db: Db) {
  const upserts = prepareUpserts(db);

  const insertRaw = db
    .insert(rawPages)
    .values(placeholders(rawPages, ['crawlId', 'endpoint', 'parameters', 'status', 'fetchedAt', 'hash', 'body']))
    .returning({ id: rawPages.id })
    .prepare();
  const insertRequest = db
    .insert(requests)
    .values(placeholders(requests, ['crawlId', 'endpoint', 'at', 'status', 'ms', 'bytes', 'error']))
    .prepare();
  const insertReject = db
    .insert(rejects)
    .values(placeholders(rejects, ['crawlId', 'rawPageId', 'endpoint', 'path', 'reason', 'sample', 'at']))
    .prepare();
  const upsertDrift = db
    .insert(drift)
    .values(placeholders(drift, ['endpoint', 'field', 'firstSeen', 'lastSeen', 'count', 'sample']))
    .onConflictDoUpdate({
      target: [drift.endpoint, drift.field],
      set: { lastSeen: latest(drift.lastSeen), count: sql`${drift.count} + ${excluded(drift.count)}` },
    })
    .prepare();
  const member = {
    community: db
      .insert(communityTweets)
      .values({
        communityId: sql.placeholder('groupId'),
        tweetId: sql.placeholder('tweetId'),
        firstSeen: sql.placeholder('at'),
      })
      .onConflictDoNothing()
      .prepare(),
    list: db
      .insert(listTweets)
      .values({
        listId: sql.placeholder('groupId'),
        tweetId: sql.placeholder('tweetId'),
        firstSeen: sql.placeholder('at'),
      })
      .onConflictDoNothing()
      .prepare(),
  };

  function storeRows(rows: PageRows, at: number, firstRank: number): StoredRows {
    const userIds = new Map<string, number>();
    let newUsers = 0;
    for (const row of rows.users) {
      const { id, isNew } = upserts.user(row, at);
      if (isNew && !userIds.has(row.restId)) newUsers++;
      userIds.set(row.restId, id);
    }

    const searchId = rows.search === undefined ? undefined : upserts.search(rows.search, at);
    const groups = (['community', 'list'] as const).flatMap((kind) =>
      rows[kind] ? [{ kind, groupId: upserts.group(kind, rows[kind], at) }] : [],
    );
    const newTweets = new Set<number>();
    for (const [i, row] of rows.tweets.entries()) {
      const authorId = row.authorRestId == null ? null : (userIds.get(row.authorRestId) ?? null);
      const { id: tweetId, isNew } = upserts.tweet(row, authorId, at);
      if (isNew) newTweets.add(tweetId);
      if (searchId !== undefined) upserts.searchHit(searchId, tweetId, firstRank + i, at);
      for (const { kind, groupId } of groups) member[kind].run({ groupId, tweetId, at });
    }

    const newEdges = new Set<string>();
    for (const { followerRestId, followeeRestId } of rows.follows) {
      const isNew = upserts.follow(userIds.get(followerRestId)!, userIds.get(followeeRestId)!, at);
      if (isNew) newEdges.add(`${followerRestId} ${followeeRestId}`);
    }

    const listed = rows.follows.length > 0 ? newEdges.size : rows.tweets.length > 0 ? newTweets.size : newUsers;
    return { newItems: listed };
  }

  function storeRaw(crawlId: number, raw: RawPage): number {
    return insertRaw.get({
      crawlId,
      endpoint: raw.endpoint,
      parameters: raw.parameters,
      status: raw.status,
      fetchedAt: raw.fetchedAt,
      hash: createHash('sha256').update(raw.body).digest('hex'),
      body: deflateSync(raw.body, { level: 1 }),
    })!.id;
  }

  function storeRequests(crawlId: number, entries: readonly RequestEntry[]): void {
    for (const entry of entries) insertRequest.run({ ...entry, crawlId, error: entry.error ?? null });
  }

  return {
    storeRequests,
    storePage(page: PageCommit, firstRank: number): StoredRows {
      const { crawlId, at, rows } = page;
      storeRequests(crawlId, page.requests);
      const rawPageId = page.raw.map((raw) => storeRaw(crawlId, raw))[0] ?? null;
      const endpoint = page.raw[0]?.endpoint ?? page.requests[0]?.endpoint ?? '';
      for (const reject of rows.rejects) insertReject.run({ ...reject, crawlId, rawPageId, endpoint, at });
      for (const { field, sample } of rows.drift) {
        upsertDrift.run({ endpoint, field, sample, firstSeen: at, lastSeen: at, count: 1 });
      }
      return storeRows(rows, at, firstRank);
    },
  };
}
