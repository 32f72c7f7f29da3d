import { REQUESTED_ID } from '../../store/crawls/requested-id.ts';
import { ERASED_MARK } from '../../store/erasure/erased-mark.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { LakeContent } from '../files/lake-content.ts';
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

/** The crawls of a store as they were when they were last recorded. */
export interface RestoredCrawls {
  /** Gives crawls their ends after the replay. Unfinished ones are queued, and begin at the top again. */
  finish(): void;
  readonly unfinished: number;
  /** Whether a target has facts about a crawl: a purge removes those about crawls of forgotten accounts. */
  readonly isKnown: (id: number) => boolean;
}

/** Creates all crawls in the state before their first page after an entry. @param from the entry of the snapshot */
export async function restoreCrawls(
  { $client }: Db,
  { content, store, from }: { readonly content: LakeContent; readonly store: string; readonly from: number },
): Promise<RestoredCrawls> {
  const first = new Map<number, NamedFact>();
  const last = new Map<number, NamedFact>();
  for await (const fact of readFacts(content, { table: 'crawls', store, from })) {
    const id = fact.crawl_id!;
    if (fact['entry'] === from) first.set(id, fact);
    last.set(id, fact);
  }
  const isKnown = (id: number): boolean => last.has(id);
  /** When the crawls without facts about them were last seen. */
  const forgotten = new Map<number, number>();
  for (const [table, time] of [
    ['requests', 'sent_at'],
    ['steps', 'committed_at'],
  ] as const)
    for await (const fact of readFacts(content, { table, store, from }))
      if (!isKnown(fact.crawl_id!)) forgotten.set(fact.crawl_id!, fact[time] as number);
  const insert = $client.prepare(
    `insert into crawls (id, ${NAMES.join(', ')}, target_rest_id, ${COUNTS.join(', ')}, state, updated_at)
     values (?, ${[...NAMES, 'target', ...COUNTS].map(() => '?').join(', ')}, 'running', ?)`,
  );
  const addToTree = $client.prepare(
    `insert into _crawl_tree (root_id, descendant_id) select root_id, id from crawls where root_id is not null and root_id <> id`,
  );
  // Requests and children refer to them.
  const insertForgotten = $client.prepare(
    `insert into crawls (id, kind, target, options, priority, state, reason, created_at, updated_at, finished_at)
     values (@id, 'profile', '${ERASED_MARK}', '{}', 'interactive', 'cancelled', 'erased', @at, @at, @at)`,
  );
  for (const [id, at] of forgotten) insertForgotten.run({ id, at });
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
  $client.exec(`update crawls set target_rest_id = ${REQUESTED_ID} where target_rest_id is null`);
  addToTree.run();
  const end =
    $client.prepare(`update crawls set ${[...ENDS, 'erased_items', 'started_at', 'finished_at'].map((column) => `${column} = ?`).join(', ')},
    updated_at = ? where id = ?`);
  const queue =
    $client.prepare(`update crawls set state = 'queued', started_at = null, finished_at = null, reason = null,
    ending = null, error = null, pages = 0, items = 0, new_items = 0, rejected_items = 0, last_page_items = null where id = ?`);
  const unfinished = [...last.values()].filter((fact) => fact['finished_at'] === null);
  return {
    unfinished: unfinished.length,
    isKnown,
    finish() {
      for (const [id, fact] of last) {
        if (fact['finished_at'] === null) queue.run(id);
        else
          end.run(
            ...ENDS.map((column) => fact[column]),
            fact['erased_items'] ?? 0,
            fact['started_at'],
            fact['finished_at'],
            fact['recorded_at'],
            id,
          );
      }
    },
  };
}
