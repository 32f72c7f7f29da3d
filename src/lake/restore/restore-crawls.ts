import type { CoverageWriter } from '#store/coverage/coverage.ts';
import { REQUESTED_ID } from '#store/crawls/requested-id.ts';
import { ERASED_MARK } from '#store/erasure/erased-mark.ts';
import type { Db } from '#store/sqlite/database.ts';
import { type NamedFact, readFacts, renumber, type ShippedFacts } from './read-shipped-entries.ts';

const NAMES = [
  'kind',
  'target',
  'handle',
  'options',
  'priority',
  'parent_id',
  'root_id',
  'created_at',
  'started_at',
] as const;
const ENDS = [
  'target_rest_id',
  'state',
  'reason',
  'ending',
  'error',
  'pages',
  'items',
  'rejected_items',
  'requests',
] as const;
const COUNTS = ['pages', 'items', 'rejected_items', 'requests', 'erased_items'] as const;

const INSERT = `insert into crawls (id, ${NAMES.join(', ')}, target_rest_id, ${COUNTS.join(', ')}, state, updated_at)
  values (?, ${[...NAMES, 'target', ...COUNTS].map(() => '?').join(', ')}, 'running', ?)`;

/** The reason of a crawl that another store has not finished. */
const NOT_FINISHED = 'not_finished';

/** Requests and children refer to crawls of forgotten accounts. */
const INSERT_FORGOTTEN = `
  insert into crawls (id, kind, target, options, priority, state, reason, created_at, updated_at, finished_at)
  values (@id, 'profile', '${ERASED_MARK}', '{}', 'interactive', 'cancelled', 'erased', @at, @at, @at)`;

const COMPLETE = `
  update crawls set target_rest_id = ${REQUESTED_ID} where target_rest_id is null;
  insert into _crawl_tree (root_id, descendant_id) select root_id, id from crawls where root_id is not null and root_id <> id`;

/** The columns of an end that the replay has decided, by what all stores showed. */
const DECIDED = ['state', 'reason', 'ending', 'error'];

/** SQL that gives a crawl its end. @param isMerge keeps the end of the replay */
function endOf(isMerge: boolean): string {
  const values = [...ENDS, 'started_at', 'finished_at', 'erased_items'].map((column) => {
    const isKept = isMerge && DECIDED.includes(column);
    return `${column} = ${isKept ? `iif(finished_at is null, ?, ${column})` : '?'}`;
  });
  return `update crawls set ${values.join(', ')}, updated_at = ? where id = ?`;
}

const QUEUE = `update crawls set state = 'queued', started_at = null, finished_at = null, reason = null, ending = null,
  error = null, pages = 0, items = 0, new_items = 0, rejected_items = 0, last_page_items = null where id = ?`;

/** Ends a crawl that its store had not finished when it last shipped. What it has read stays. */
const LEAVE = `update crawls set state = 'partial', reason = '${NOT_FINISHED}', started_at = ?, requests = ?, finished_at = ?,
  updated_at = ? where id = ?`;

/** The crawls of one store. */
interface StoreCrawls {
  readonly facts: ShippedFacts;
  /** As they were at the snapshot, and when they were last recorded. */
  readonly first: ReadonlyMap<number, NamedFact>;
  readonly last: ReadonlyMap<number, NamedFact>;
  /** When crawls without facts about them were last seen: a purge removes those about crawls of forgotten accounts. */
  readonly forgotten: ReadonlyMap<number, number>;
}

/** The crawls of stores as they were when they were last recorded. */
export interface RestoredCrawls {
  /** The stores, with the numbers of their crawls. */
  readonly sources: readonly ShippedFacts[];
  /**
   * Gives crawls their ends after the replay. Unfinished ones of a restored store are queued, and begin at the top again; those
   * of other stores are partial.
   */
  finish(): void;
  readonly unfinished: number;
  /** Whether a target has facts about a crawl. */
  readonly isKnown: (id: number) => boolean;
}

/**
 * Creates all crawls in the state before their first page after the snapshots of their stores.
 * @param closeGap of a merge, whose crawls get new numbers in the order of their creation
 */
export async function restoreCrawls(
  { $client }: Db,
  stores: readonly ShippedFacts[],
  closeGap?: CoverageWriter['closeGap'],
): Promise<RestoredCrawls> {
  const found: StoreCrawls[] = [];
  for (const facts of stores) found.push(await readCrawls(facts));
  const numbers = closeGap ? numberCrawls(found) : found.map(() => undefined);
  const last = new Map<number, NamedFact>();
  const insertForgotten = $client.prepare(INSERT_FORGOTTEN);
  const insert = $client.prepare(INSERT);
  const rows = found.flatMap((store, i) => {
    for (const [id, at] of store.forgotten) insertForgotten.run({ id: numbers[i]?.get(id) ?? id, at });
    return [...store.last].map(([id, fact]) => ({ fact: renumber(fact, numbers[i]), before: store.first.get(id) }));
  });
  for (const { fact, before } of rows.toSorted((a, b) => a.fact.crawl_id! - b.fact.crawl_id!)) {
    const id = fact.crawl_id!;
    last.set(id, fact);
    insert.run(
      id,
      ...NAMES.map((column) => fact[column]),
      before?.['target_rest_id'] ?? null,
      ...COUNTS.map((column) => before?.[column] ?? 0),
      fact['recorded_at'],
    );
  }
  $client.exec(COMPLETE);
  const isUnfinished = (fact: NamedFact): boolean => fact['finished_at'] === null;
  return {
    sources: stores.map((facts, i) => ({ ...facts, crawlIds: numbers[i] })),
    unfinished: [...last.values()].filter(isUnfinished).length,
    isKnown: (id) => last.has(id),
    finish() {
      const end = $client.prepare(endOf(closeGap !== undefined));
      const [queue, leave] = [$client.prepare(QUEUE), $client.prepare(LEAVE)];
      for (const [id, fact] of last) {
        const at = fact['recorded_at'] as number;
        if (!isUnfinished(fact)) {
          const values = [...ENDS, 'started_at', 'finished_at'].map((column) => fact[column]);
          end.run(...values, fact['erased_items'] ?? 0, at, id);
        } else if (closeGap) {
          leave.run(fact['started_at'], fact['requests'], at, at, id);
          closeGap(id, { state: 'partial', reason: NOT_FINISHED }, at);
        } else queue.run(id);
      }
    },
  };
}

async function readCrawls(facts: ShippedFacts): Promise<StoreCrawls> {
  const first = new Map<number, NamedFact>();
  const last = new Map<number, NamedFact>();
  for await (const fact of readFacts(facts, 'crawls')) {
    const id = fact.crawl_id!;
    if (fact['entry'] === facts.from) first.set(id, fact);
    last.set(id, fact);
  }
  const forgotten = new Map<number, number>();
  for (const [table, time] of [
    ['requests', 'sent_at'],
    ['steps', 'committed_at'],
  ] as const)
    for await (const fact of readFacts(facts, table))
      if (!last.has(fact.crawl_id!)) forgotten.set(fact.crawl_id!, fact[time] as number);
  return { facts, first, last, forgotten };
}

/** Numbers the crawls of all stores in the order of their creation. */
function numberCrawls(stores: readonly StoreCrawls[]): Map<number, number>[] {
  const numbers = stores.map(() => new Map<number, number>());
  const crawls = stores.flatMap(({ last, forgotten }, store) => [
    ...Array.from(last, ([id, fact]) => ({ store, id, at: fact['created_at'] as number })),
    ...Array.from(forgotten, ([id, at]) => ({ store, id, at })),
  ]);
  const inOrder = crawls.toSorted((a, b) => a.at - b.at || a.store - b.store || a.id - b.id);
  for (const [i, { store, id }] of inOrder.entries()) numbers[store]!.set(id, i + 1);
  return numbers;
}
