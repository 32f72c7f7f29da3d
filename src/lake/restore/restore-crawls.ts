import type { LakeContent } from '#lake/files/lake-content.ts';
import { REQUESTED_ID } from '#store/crawls/requested-id.ts';
import { ERASED_MARK } from '#store/erasure/erased-mark.ts';
import type { Db } from '#store/sqlite/database.ts';
import { type NamedFact, readFacts } from './read-shipped-entries.ts';

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

/** Requests and children refer to crawls of forgotten accounts. */
const INSERT_FORGOTTEN = `
  insert into crawls (id, kind, target, options, priority, state, reason, created_at, updated_at, finished_at)
  values (@id, 'profile', '${ERASED_MARK}', '{}', 'interactive', 'cancelled', 'erased', @at, @at, @at)`;

const COMPLETE = `
  update crawls set target_rest_id = ${REQUESTED_ID} where target_rest_id is null;
  insert into _crawl_tree (root_id, descendant_id) select root_id, id from crawls where root_id is not null and root_id <> id`;

const END = `update crawls set ${[...ENDS, 'started_at', 'finished_at', 'erased_items'].map((column) => `${column} = ?`).join(', ')},
  updated_at = ? where id = ?`;

const QUEUE = `update crawls set state = 'queued', started_at = null, finished_at = null, reason = null, ending = null,
  error = null, pages = 0, items = 0, new_items = 0, rejected_items = 0, last_page_items = null where id = ?`;

/** The facts of a store from an entry on. */
interface ShippedFacts {
  readonly content: LakeContent;
  readonly store: string;
  /** The entry of the snapshot. */
  readonly from: number;
}

/** The crawls of a store as they were when they were last recorded. */
export interface RestoredCrawls {
  /** Gives crawls their ends after the replay. Unfinished ones are queued, and begin at the top again. */
  finish(): void;
  readonly unfinished: number;
  /** Whether a target has facts about a crawl: a purge removes those about crawls of forgotten accounts. */
  readonly isKnown: (id: number) => boolean;
}

/** Creates all crawls in the state before their first page after an entry. */
export async function restoreCrawls({ $client }: Db, facts: ShippedFacts): Promise<RestoredCrawls> {
  const first = new Map<number, NamedFact>();
  const last = new Map<number, NamedFact>();
  for await (const fact of readFacts(facts.content, { ...facts, table: 'crawls' })) {
    const id = fact.crawl_id!;
    if (fact['entry'] === facts.from) first.set(id, fact);
    last.set(id, fact);
  }
  const isKnown = (id: number): boolean => last.has(id);
  const insertForgotten = $client.prepare(INSERT_FORGOTTEN);
  for (const [id, at] of await findForgottenCrawls(facts, isKnown)) insertForgotten.run({ id, at });
  const insert = $client.prepare(INSERT);
  for (const [id, fact] of [...last].toSorted(([a], [b]) => a - b)) {
    const before = first.get(id);
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
    unfinished: [...last.values()].filter(isUnfinished).length,
    isKnown,
    finish() {
      const [end, queue] = [$client.prepare(END), $client.prepare(QUEUE)];
      for (const [id, fact] of last) {
        if (isUnfinished(fact)) queue.run(id);
        else {
          const values = [...ENDS, 'started_at', 'finished_at'].map((column) => fact[column]);
          end.run(...values, fact['erased_items'] ?? 0, fact['recorded_at'], id);
        }
      }
    },
  };
}

/** Returns when the crawls without facts about them were last seen, by their ids. */
async function findForgottenCrawls(
  facts: ShippedFacts,
  isKnown: (id: number) => boolean,
): Promise<ReadonlyMap<number, number>> {
  const forgotten = new Map<number, number>();
  for (const [table, time] of [
    ['requests', 'sent_at'],
    ['steps', 'committed_at'],
  ] as const)
    for await (const fact of readFacts(facts.content, { ...facts, table }))
      if (!isKnown(fact.crawl_id!)) forgotten.set(fact.crawl_id!, fact[time] as number);
  return forgotten;
}
