import { setImmediate as nextTurn } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { prepareCoverage } from '#store/coverage/coverage.ts';
import { prepareSearchWindows } from '#store/coverage/search-windows.ts';
import { endPeriods } from '#store/evidence/edge-periods.ts';
import { prepareSearchIndex } from '#store/merge/full-text-index.ts';
import { type EdgeKey, prepareEdgeRows } from '#store/merge/merge-follows.ts';
import { prepareTweetLists } from '#store/merge/tweet-lists.ts';
import { createUserCache } from '#store/merge/user-cache.ts';
import { FACT_TABLES, type FactTableName } from '#store/outbox/fact-tables.ts';
import { TWEET_LISTS, EDGE_RELATIONS } from '#store/relations/list-relations.ts';
import { NO_ROWS } from '#store/schema/normalised-rows.ts';
import type { Db } from '#store/sqlite/database.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import { preparePageRows } from '#store/writer/page-commit.ts';
import type { CrawlRows } from './crawl-rows.ts';
import { nameFacts, type NamedFact, readFactLines, type ShippedFacts } from './read-shipped-entries.ts';
import { toTweetLists, toTweetRow, toUserRow } from './rows-of-facts.ts';

export interface SnapshotOptions {
  /** The stores, from the entries of their snapshots on. */
  readonly sources: readonly ShippedFacts[];
  readonly crawls: CrawlRows;
  /** A new file for rows that are stored in another order than they are read. */
  readonly scratch: string;
  readonly signal: AbortSignal;
}

/**
 * Stores the rows of the snapshots of stores in a new store: crawls, users and tweets in the order of their times. Memory does
 * not depend on their number.
 */
export async function storeSnapshots(db: Db, options: SnapshotOptions): Promise<void> {
  const { crawls } = options;
  const scratch = openConnection(options.scratch);
  try {
    for (const pragma of ['journal_mode = off', 'synchronous = off']) scratch.pragma(pragma);
    const forEach = await stageSnapshots(scratch, options);
    await forEach('crawls', crawls.record);
    await storeSightings(db, forEach);
    for (const [table, store] of Object.entries(prepareRows(db)) as [FactTableName, (fact: NamedFact) => void][])
      await forEach(table, (fact) => store(fact.crawl_id === null ? fact : { ...fact, crawl_id: crawls.idOf(fact) }));
    await storeEdges(db, scratch, forEach);
  } finally {
    scratch.close();
  }
}

/** Calls `run` with the facts of a table, oldest first if they have an order. */
type ForEach = (table: FactTableName, run: (fact: NamedFact) => void) => Promise<void>;

/** The column of a table by which its facts are stored in order. */
const ORDER: Partial<Record<FactTableName, string>> = {
  crawls: 'created_at',
  user_sightings: 'seen_at',
  tweet_sightings: 'seen_at',
};
const FACTS_PER_TURN = 2000;

/** Copies the facts of snapshots to another database, since they are stored in another order than they are read. */
async function stageSnapshots(
  scratch: Database.Database,
  { sources, signal }: Pick<SnapshotOptions, 'sources' | 'signal'>,
): Promise<ForEach> {
  scratch.exec(`create table staged (fact_table text, at integer, n integer, fact text, primary key (fact_table, at, n))
    without rowid; begin`);
  const stage = scratch.prepare('insert into staged values (?, ?, ?, ?)');
  let staged = 0;
  for (const source of sources) {
    for await (const line of readFactLines(source)) {
      if (line.entry > source.from) break;
      signal.throwIfAborted();
      for (const [table, facts] of nameFacts(source.store, line))
        for (const fact of facts) stage.run(table, fact[ORDER[table] ?? ''] ?? 0, (staged += 1), JSON.stringify(fact));
    }
  }
  scratch.exec('commit');
  const read = scratch.prepare<[string, number, number, number], StagedFact>(
    'select at, n, fact from staged where fact_table = ? and (at, n) > (?, ?) order by at, n limit ?',
  );
  return async (table, run) => {
    for (let last = { at: -1, n: 0 }; ;) {
      const batch = read.all(table, last.at, last.n, FACTS_PER_TURN);
      for (const { fact } of batch) run(JSON.parse(fact) as NamedFact);
      if (batch.length < FACTS_PER_TURN) return;
      last = batch.at(-1)!;
      signal.throwIfAborted();
      await nextTurn();
    }
  };
}

interface StagedFact {
  readonly at: number;
  readonly n: number;
  readonly fact: string;
}

async function storeSightings(db: Db, forEach: ForEach): Promise<void> {
  const { storeRows } = preparePageRows(db, createUserCache(db));
  const updateSearchIndex = prepareSearchIndex(db);
  await forEach('user_sightings', (fact) =>
    storeRows({ ...NO_ROWS, users: [toUserRow(withLevel(fact))] }, fact['seen_at'] as number, 0),
  );
  await forEach('tweet_sightings', (fact) => {
    const author = fact['author_rest_id'] as string | null;
    const users = author === null ? [] : [{ restId: author, detailLevel: 'reference' as const }];
    storeRows(
      { ...NO_ROWS, users, tweets: [toTweetRow(fact, 0)] },
      fact['seen_at'] as number,
      0,
      Number(fact['seen_in_lists'] ?? 0),
    );
  });
  updateSearchIndex();
}

const USER_COLUMNS = Object.keys(FACT_TABLES.user_sightings.columns);
const PROFILE_COLUMNS = USER_COLUMNS.slice(USER_COLUMNS.indexOf('verified') + 1);

/** Earlier values in a snapshot have the lowest level that changes no time; only a profile shows its columns. */
const withLevel = (fact: NamedFact): NamedFact =>
  PROFILE_COLUMNS.some((column) => fact[column] !== null) ? ({ ...fact, detail_level: 'profile' } as NamedFact) : fact;

const userOf = (column: string): string => `(select id from users where rest_id = @${column})`;

/** The statement that stores a fact. Its parameters are columns. */
const STATEMENTS: Partial<Record<FactTableName, string>> = {
  list_snapshots: `
    insert into _list_snapshots (crawl_id, side, user_id, started_at, finished_at, item_count, owner_count, missed_count,
      ended_count, body_digest)
    values (@crawl_id, @side, ${userOf('owner_rest_id')}, @started_at, @finished_at, @item_count, @owner_count, 0, 0, @body_digest)`,
  follow_decisions: `
    insert into _follow_decisions (followee_id, follower_id, crawl_id, started_at, finished_at, cause)
    values (${userOf('followee_rest_id')}, ${userOf('follower_rest_id')}, @crawl_id, @started_at, @finished_at, @cause)`,
  deletion_evidence: `
    insert into _deletion_evidence (tweet_id, suspected_at, confirmed_at, crawl_id)
    values ((select id from tweets where rest_id = @tweet_rest_id), @noticed_at, iif(@is_confirmed, @noticed_at, null), @crawl_id)
    on conflict do update set suspected_at = min(suspected_at, @noticed_at), confirmed_at = coalesce(excluded.confirmed_at, confirmed_at)`,
  requests: `
    insert into requests (crawl_id, sent_at, endpoint, status, duration_ms, response_bytes, error)
    values (@crawl_id, @sent_at, @endpoint, @status, @duration_ms, @response_bytes, @error)`,
};

/** What the other facts of a snapshot become, by their tables. */
function prepareRows(db: Db): Partial<Record<FactTableName, (fact: NamedFact) => void>> {
  const coverage = prepareCoverage(db);
  const windows = prepareSearchWindows(db);
  const prepare = (sql: string) => {
    const prepared = db.$client.prepare(sql);
    const columns = Array.from(sql.matchAll(/@(\w+)/g), ([, column]) => column!);
    return (fact: NamedFact): void =>
      void prepared.run(Object.fromEntries(columns.map((column) => [column, toStored(fact[column])])));
  };
  return {
    ...prepareListRows(db),
    ...Object.fromEntries(Object.entries(STATEMENTS).map(([table, statement]) => [table, prepare(statement)])),
    coverage_claims(fact) {
      const { kind, target, crawl_id: id } = fact;
      coverage.addPage({ id: id!, kind: kind as string, target: target as string }, toClaimedPage(fact) as never);
    },
    search_windows({ query, from_at: from, to_at: to, is_saturated: isSaturated, searched_at: at, crawl_id: id }) {
      const saturated = isSaturated ? { newerId: '', olderId: '' } : undefined;
      windows.addWindow({ query, from, to, saturated } as never, id!, at as number);
    },
  };
}

/** What the facts of lists of tweets become, whose users and tweets are there. */
function prepareListRows(db: Db): Partial<Record<FactTableName, (fact: NamedFact) => void>> {
  const storeList = prepareTweetLists(db);
  const keysOf = (table: string) => {
    const find = db.$client.prepare<[string], number>(`select id from ${table} where rest_id = ?`).pluck();
    return { get: (restId: string) => find.get(restId) };
  };
  const keys = { users: keysOf('users'), tweets: keysOf('tweets') };
  const prepare =
    (table: FactTableName) =>
    (fact: NamedFact): void => {
      for (const relation of TWEET_LISTS)
        for (const list of toTweetLists(relation, (each) => (each === table ? [fact] : [])))
          storeList(list, keys, fact['seen_at'] as number, Number(fact['rank'] ?? 0));
    };
  const tables = ['group_sightings' as const, ...TWEET_LISTS.map(([, { fact }]) => fact)];
  return Object.fromEntries(tables.map((table) => [table, prepare(table)]));
}

/** SQLite has no booleans. */
const toStored = (value: NamedFact[string] | undefined): unknown =>
  typeof value === 'boolean' ? Number(value) : value;

/** A claim as the page that made it. */
const toClaimedPage = (fact: NamedFact): object => ({
  at: fact['claimed_at'],
  progress: { targetRestId: fact['target'] },
  storedBodyIds: [],
  coverage: {
    spans: [
      {
        newest: { at: fact['newest_at'], id: fact['newest_rest_id'] },
        oldest: { at: fact['oldest_at'], id: fact['oldest_rest_id'] },
        bottom: fact['list_end'] ?? undefined,
        below: fact['gap_reason'] ?? undefined,
        pages: fact['pages'],
        items: fact['items'],
      },
    ],
  },
});

interface PeriodRow extends EdgeKey {
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
  readonly lastSeenIn: number;
}

/**
 * Stores the periods of edges with their ends, which follow from complete lists (decision 62). Users and lists are there.
 * @param scratch a database for the periods, which are stored edge by edge
 */
async function storeEdges(db: Db, scratch: Database.Database, forEach: ForEach): Promise<void> {
  scratch.exec(`create table periods (follower_id integer, followee_id integer, first_seen_at integer, last_seen_at integer,
    last_seen_in integer, primary key (follower_id, followee_id, first_seen_at)) without rowid; begin`);
  const add = scratch.prepare('insert into periods values (?, ?, ?, ?, ?) on conflict do nothing');
  const findUser = db.$client.prepare<[unknown], number>('select id from users where rest_id = ?').pluck();
  await forEach('edge_sightings', ({ side, owner_rest_id, member_rest_id, seen_at, seen_until_at }) => {
    const [owner, member] = [findUser.get(owner_rest_id), findUser.get(member_rest_id)];
    const users = side === 'followers' ? [member, owner] : [owner, member];
    add.run(...users, seen_at, seen_until_at, EDGE_RELATIONS[side as keyof typeof EDGE_RELATIONS].lastSeenIn);
  });
  scratch.exec('commit');
  const store = prepareEdge(db);
  let edge: PeriodRow[] = [];
  const rows = scratch.prepare<[], PeriodRow>(
    `select follower_id as followerId, followee_id as followeeId, first_seen_at as firstSeenAt,
       last_seen_at as lastSeenAt, last_seen_in as lastSeenIn
     from periods order by follower_id, followee_id, first_seen_at`,
  );
  for (const row of rows.iterate()) {
    const [first] = edge;
    if (first && (row.followerId !== first.followerId || row.followeeId !== first.followeeId)) {
      store(edge);
      edge = [];
    }
    edge.push(row);
  }
  if (edge.length > 0) store(edge);
}

/** Prepares the storing of the periods of an edge by their start: the last one is current. Those of several stores may overlap. */
function prepareEdge(db: Db): (rows: readonly PeriodRow[]) => void {
  const stored = prepareEdgeRows(db);
  return (rows) => {
    const { followerId, followeeId } = rows[0]!;
    const edge = { followerId, followeeId };
    const periods = rows.map((row) => ({ ...row, firstMissedAt: null, endedAt: null }));
    const ended = endPeriods(periods, stored.readEvidence(edge));
    stored.insertCurrent(edge, ended.pop()!);
    for (const period of ended) stored.insertEarlier(edge, period);
  };
}
