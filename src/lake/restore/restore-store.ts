import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describeError, UsageError } from '#base/errors.ts';
import type { LakeContent } from '#lake/files/lake-content.ts';
import type { ShippedStore } from '#lake/files/lake.ts';
import { getKind } from '#service/kinds/kinds.ts';
import { prepareCoverage } from '#store/coverage/coverage.ts';
import { finishErasures } from '#store/erasure/erase-accounts.ts';
import { prepareFieldCounter } from '#store/evidence/field-statistics.ts';
import { parseStepOutcome } from '#store/journal/journal-steps.ts';
import { createUserCache } from '#store/merge/user-cache.ts';
import { DEFAULT_BACKLOG_BYTES, startEntriesAfter } from '#store/outbox/ship-targets.ts';
import type { PageCommit } from '#store/schema/commit-messages.ts';
import { NO_ROWS, type PageRows } from '#store/schema/normalised-rows.ts';
import { type Db, openDatabase } from '#store/sqlite/database.ts';
import { prepareOperations } from '#store/writer/operations.ts';
import { preparePageRows } from '#store/writer/page-commit.ts';
import { readShippedEntries, type Entry, type NamedFact } from './read-shipped-entries.ts';
import { restoreCrawls } from './restore-crawls.ts';
import { prepareErasures, restoreSnapshot } from './restore-snapshot.ts';
import { toObservations } from './rows-of-facts.ts';

export interface MergeOptions {
  /** The new file. It must not exist. */
  readonly path: string;
  /** A folder beside it of this process, where it is written until it is complete. */
  readonly temporary: string;
  readonly stores: readonly ShippedStore[];
  readonly content: LakeContent;
  /** Milliseconds UTC. */
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Called with the number of entries that are stored. */
  readonly onProgress: (entries: number) => void;
}

export interface RestoreOptions extends Omit<MergeOptions, 'stores'> {
  readonly address: string;
  readonly record: ShippedStore;
  /** Crawls pause when more bytes of facts wait for the target; 10 GB by default. */
  readonly maxBacklogBytes: number | undefined;
}

export interface RestoreSummary {
  readonly entries: number;
  /** Crawls that their stores had not finished. After a restore, they begin at the top again. */
  readonly unfinished: number;
  readonly rows: Readonly<Record<string, number>>;
}

/** Entries in one transaction. */
const BATCH = 200;
const COUNTED = ['users', 'tweets', 'follows', 'crawls', 'requests'];

/**
 * Restores a store from the facts that it has shipped to a target. The store keeps its id, and ships on after the last entry.
 * @throws UsageError if the file exists, or cannot be created
 */
export const restoreStore = (options: RestoreOptions): Promise<RestoreSummary> =>
  createStore({ ...options, stores: [options.record] }, options);

/**
 * Merges the facts of stores into a new store, as if it had sent all their requests: their crawls get numbers in the order of
 * their creation. It depends on the facts alone.
 * @throws UsageError if the file exists, or cannot be created
 */
export const mergeStores = (options: MergeOptions): Promise<RestoreSummary> => createStore(options);

/**
 * Creates a store from facts: the rows of the last snapshots, and then each entry, by the operation that crawls commit with.
 * The file gets its name when it is complete; what is killed leaves nothing under that name.
 * @param identity of a restored store; the new one has an id of its own if absent
 */
async function createStore(options: MergeOptions, identity?: RestoreOptions): Promise<RestoreSummary> {
  const { path, temporary, now, signal } = options;
  // A killed process may have had the same id, as in a container.
  rmSync(temporary, { recursive: true, force: true });
  try {
    mkdirSync(temporary, { mode: 0o700 });
  } catch (cause) {
    throw new UsageError(`cannot create ${path}: ${describeError(cause)}`, { cause });
  }
  const file = join(temporary, 'store.db');
  try {
    const summary = await writeStore(file, options, identity);
    await finishErasures({
      path: file,
      now,
      signal,
      onProgress: () => undefined,
      areItemsCounted: true,
    });
    giveName(file, path);
    return summary;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Gives the file its name, unless one has appeared meanwhile. */
function giveName(file: string, path: string): void {
  const descriptor = openSync(file, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
  try {
    linkSync(file, path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    throw new UsageError(`${path} exists`, { hint: 'Name another file with --db.', cause });
  }
}

async function writeStore(
  file: string,
  { stores, content, signal, onProgress }: MergeOptions,
  identity: RestoreOptions | undefined,
): Promise<RestoreSummary> {
  using db = openDatabase(file);
  const { $client } = db;
  const shipped = stores.map(({ store, snapshots }) => ({ content, store, from: snapshots.at(-1)?.entry ?? 0 }));
  // The file is complete or does not count: it is synchronised once, at the end.
  for (const pragma of ['journal_mode = delete', 'synchronous = off']) $client.pragma(pragma);
  const index = $client
    .prepare<[], string>("select sql from sqlite_schema where name = 'crawls_unfinished'")
    .pluck()
    .get()!;
  $client.exec('drop index crawls_unfinished; begin');
  const { closeGap } = prepareCoverage(db);
  const crawls = await restoreCrawls(db, shipped, identity ? undefined : closeGap);
  const { sources } = crawls;
  await restoreSnapshot(db, { sources, scratch: join(dirname(file), 'scratch.db'), signal });
  const replay = prepareReplay(db, crawls.isKnown);
  let entries = 0;
  for await (const entry of readShippedEntries(sources)) {
    replay(entry);
    entries += 1;
    if (entries % BATCH > 0) continue;
    $client.exec('commit; begin');
    onProgress(entries);
    signal.throwIfAborted();
    await nextTurn();
  }
  crawls.finish();
  if (identity) identify(db, identity);
  $client.exec(`${index}; commit`);
  const count = (table: string): number => $client.prepare<[], number>(`select count(*) from ${table}`).pluck().get()!;
  return {
    entries,
    unfinished: crawls.unfinished,
    rows: Object.fromEntries(COUNTED.map((table) => [table, count(table)])),
  };
}

/** Gives a new file the identity of the lost store, and the target that it ships on to. */
function identify(db: Db, { address, record, maxBacklogBytes, now }: RestoreOptions): void {
  const { $client } = db;
  $client.prepare("insert or replace into _settings (key, value) values ('store_id', ?)").run(record.store);
  $client
    .prepare(
      `insert into _ship_targets (address, added_at, max_backlog_bytes, shipped_entry, shipped_at, shipped_digest, shipped_bytes)
       values (?, ?, ?, ?, ?, ?, 0)`,
    )
    .run(
      address,
      now(),
      maxBacklogBytes ?? DEFAULT_BACKLOG_BYTES,
      record.entry,
      Date.parse(record.sealedAt),
      record.digest,
    );
  startEntriesAfter(db, record.entry);
}

/**
 * Prepares the replay of entries: the operation that crawls commit with stores the facts of a page, as a rebuild does with
 * the bodies of pages. Crawls are there, in the state before their first page.
 * @param isKnown whether a crawl is no crawl of a forgotten account: of its pages, only rows of others are left
 */
function prepareReplay(db: Db, isKnown: (crawlId: number) => boolean): (entry: Entry) => void {
  const { $client } = db;
  const userCache = createUserCache(db);
  const operations = prepareOperations(db, userCache, prepareFieldCounter(db));
  const { storeRows } = preparePageRows(db, userCache);
  const coverage = prepareCoverage(db);
  const restoreErasure = prepareErasures(db);
  const insertRequest = $client.prepare(`
    insert into requests (crawl_id, sent_at, endpoint, status, duration_ms, response_bytes, error) values (?, ?, ?, ?, ?, ?, ?)`);
  const insertStep = $client.prepare(
    'insert into _steps (crawl_id, committed_at, response_roles, last_request_id, outcome) values (?, ?, ?, ?, ?)',
  );
  const lastRequest = $client.prepare<[], number | null>('select max(id) from requests').pluck();
  const findCrawl = $client.prepare<
    [number],
    { readonly kind: string; readonly targetRestId: string | null; readonly finishedAt: number | null }
  >('select kind, target_rest_id as targetRestId, finished_at as finishedAt from crawls where id = ?');
  const reopen = $client.prepare('update crawls set finished_at = null where id = ?');

  function commitPage(step: NamedFact, entry: Entry): void {
    const { crawl_id: id, committed_at: at, response_roles: roles, outcome } = step;
    operations.commitPage(toCommit(step, entry, findCrawl.get(id!)!));
    insertStep.run(id, at, roles, lastRequest.get(), outcome);
  }

  function followCrawl({ crawl_id: id, state, recorded_at: at, finished_at: finishedAt }: NamedFact): void {
    if (state === 'cancelled') coverage.closeGap(id!, { state, reason: null } as never, at as number);
    if (finishedAt !== null || findCrawl.get(id!)?.finishedAt == null) return;
    reopen.run(id);
    coverage.reopenGap(id!, at as number);
  }

  return (entry) => {
    for (const request of entry.facts.get('requests') ?? []) insertRequest.run(...toRequest(request));
    const [step] = entry.facts.get('steps') ?? [];
    if (step && isKnown(step.crawl_id!)) commitPage(step, entry);
    else for (const { rows, at } of toObservations(entry)) storeRows(rows, at, 0);
    for (const crawl of entry.facts.get('crawls') ?? []) followCrawl(crawl);
    for (const erasure of entry.facts.get('erasures') ?? []) restoreErasure(erasure);
  };
}

/** Returns the page of a step. @param crawl before it */
function toCommit(
  step: NamedFact,
  entry: Entry,
  { kind, targetRestId }: { readonly kind: string; readonly targetRestId: string | null },
): PageCommit {
  const at = step['committed_at'] as number;
  const outcome = parseStepOutcome({ outcome: step['outcome'] as string | null });
  const observations = toObservations(entry);
  const page = observations.find((each) => each.at === at);
  const [list] = entry.facts.get('list_snapshots') ?? [];
  const target = outcome.targetId === undefined ? targetRestId : outcome.targetId;
  return {
    crawlId: step.crawl_id!,
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

const toRequest = (fact: NamedFact): unknown[] =>
  ['crawl_id', 'sent_at', 'endpoint', 'status', 'duration_ms', 'response_bytes', 'error'].map((column) => fact[column]);
