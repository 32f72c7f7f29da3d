import { setImmediate as nextTurn } from 'node:timers/promises';
import { getKind } from '#service/kinds/kinds.ts';
import { prepareFieldCounter } from '#store/evidence/field-statistics.ts';
import { parseStepOutcome } from '#store/journal/journal-steps.ts';
import { createUserCache } from '#store/merge/user-cache.ts';
import type { PageCommit } from '#store/schema/commit-messages.ts';
import { NO_ROWS, type PageRows } from '#store/schema/normalised-rows.ts';
import type { Db } from '#store/sqlite/database.ts';
import { prepareOperations } from '#store/writer/operations.ts';
import { preparePageRows } from '#store/writer/page-commit.ts';
import type { CrawlRows, CrawlOfPage } from './crawl-rows.ts';
import { type Entry, type NamedFact, readShippedEntries, type ShippedFacts } from './read-shipped-entries.ts';
import { toObservations } from './rows-of-facts.ts';

export interface ReplayOptions {
  readonly sources: readonly ShippedFacts[];
  readonly crawls: CrawlRows;
  readonly signal: AbortSignal;
  /** Called with the number of entries that are stored. */
  readonly onProgress: (entries: number) => void;
  /** Later entries are left. Milliseconds UTC. */
  readonly until: number | undefined;
  /** Called with each entry before it is stored, in its transaction. */
  readonly onEntry: (entry: Entry) => void;
}

/** Entries in one transaction. */
const BATCH = 200;

/**
 * Stores entries in the order of their times, in a transaction that the caller has begun; it commits this and begins others.
 * The operation that crawls commit with stores the facts of a page, as a rebuild does with the bodies of pages. Returns their
 * number. @throws the reason of the signal: a part is stored
 */
export async function replayEntries(db: Db, options: ReplayOptions): Promise<number> {
  const { sources, crawls, until = Infinity, signal, onProgress, onEntry } = options;
  const replay = prepareReplay(db, crawls);
  let entries = 0;
  for await (const entry of readShippedEntries(sources)) {
    if (entry.at > until) break;
    onEntry(entry);
    replay(entry);
    entries += 1;
    if (entries % BATCH > 0) continue;
    db.$client.exec('commit; begin immediate');
    onProgress(entries);
    signal.throwIfAborted();
    await nextTurn();
  }
  return entries;
}

function prepareReplay(db: Db, crawls: CrawlRows): (entry: Entry) => void {
  const { $client } = db;
  const userCache = createUserCache(db);
  const operations = prepareOperations(db, userCache, prepareFieldCounter(db));
  const { storeRows } = preparePageRows(db, userCache);
  const insertRequest = $client.prepare(`
    insert into requests (crawl_id, sent_at, endpoint, status, duration_ms, response_bytes, error)
    values (@id, @sent_at, @endpoint, @status, @duration_ms, @response_bytes, @error)`);
  const insertStep = $client.prepare(
    'insert into _steps (crawl_id, committed_at, response_roles, last_request_id, outcome) values (?, ?, ?, ?, ?)',
  );
  const lastRequest = $client.prepare<[], number | null>('select max(id) from requests').pluck();

  function storePage(step: NamedFact, entry: Entry): boolean {
    const { committed_at: at, response_roles: roles, outcome } = step;
    const id = crawls.idOf(step);
    return crawls.storePage(id, step['started_at'] as number, at as number, (crawl) => {
      operations.commitPage(toCommit(id, step, entry, crawl));
      insertStep.run(id, at, roles, lastRequest.get(), outcome);
    });
  }

  return (entry) => {
    for (const request of entry.facts.get('requests') ?? [])
      insertRequest.run({ ...request, id: crawls.idOf(request) });
    const [step] = entry.facts.get('steps') ?? [];
    if (!step || !storePage(step, entry)) for (const { rows, at } of toObservations(entry)) storeRows(rows, at, 0);
    for (const crawl of entry.facts.get('crawls') ?? []) crawls.record(crawl);
  };
}

/** Returns the page of a step. @param crawl before it */
function toCommit(crawlId: number, step: NamedFact, entry: Entry, { kind, targetRestId }: CrawlOfPage): PageCommit {
  const at = step['committed_at'] as number;
  const outcome = parseStepOutcome({ outcome: step['outcome'] as string | null });
  const observations = toObservations(entry);
  const page = observations.find((each) => each.at === at);
  const [list] = entry.facts.get('list_snapshots') ?? [];
  const target = outcome.targetId === undefined ? targetRestId : outcome.targetId;
  return {
    crawlId,
    at,
    rows: outcome.end ? withEmptyList(page?.rows ?? NO_ROWS, kind, target) : (page?.rows ?? NO_ROWS),
    lookups: observations.filter((each) => each !== page),
    coverage: outcome.covered,
    searchedWindow: outcome.searched,
    end: outcome.end,
    lease: 0,
    requestCursor: null,
    bodies: [],
    requests: [],
    children: [],
    storedBodyIds: [],
    listDigest: (list?.['body_digest'] as string | null | undefined) ?? outcome.listDigest,
    progress: {
      cursor: null,
      checkpoint: null,
      targetRestId: target,
      pages: outcome.pages,
      items: Number(step['items'] ?? 0),
      rejectedItems: Number(step['rejected_items'] ?? 0),
    },
  };
}

/** A list of accounts without a member on its last page has no sighting of an edge. */
function withEmptyList(rows: PageRows, kind: string, owner: string | null): PageRows {
  const { edgeSide: side } = getKind(kind);
  if (side === undefined || owner === null || rows.follows.some((list) => list.side === side)) return rows;
  return { ...rows, follows: [...rows.follows, { side, owner, members: [] }] };
}
