import { prepareCoverage } from '../../store/coverage/coverage.ts';
import { prepareFieldCounter } from '../../store/evidence/field-statistics.ts';
import { parseStepOutcome } from '../../store/journal/journal-steps.ts';
import { createUserCache } from '../../store/merge/user-cache.ts';
import type { PageCommit } from '../../store/schema/commit-messages.ts';
import { type EdgeList, NO_ROWS, type PageRows } from '../../store/schema/normalised-rows.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { prepareOperations } from '../../store/writer/operations.ts';
import { preparePageRows } from '../../store/writer/page-rows.ts';
import type { Entry, NamedFact } from './read-shipped-entries.ts';
import { prepareErasures } from './restore-erasures.ts';
import { toObservations } from './rows-of-facts.ts';

/**
 * Prepares the replay of entries: the operation that crawls commit with stores the facts of a page, as a rebuild does with
 * the bodies of pages. Crawls are there, in the state before their first page.
 * @param isKnown whether a crawl is no crawl of a forgotten account: of its pages, only rows of others are left
 */
export function prepareReplay(
  db: Db,
  isKnown: (crawlId: number) => boolean,
): { readonly replay: (entry: Entry) => void } {
  const { $client } = db;
  const userCache = createUserCache(db);
  const operations = prepareOperations(db, userCache, prepareFieldCounter(db));
  const { storeRows } = preparePageRows(db, userCache);
  const coverage = prepareCoverage(db);
  const erasures = prepareErasures(db);
  const insertRequest = $client.prepare(`
    insert into requests (crawl_id, sent_at, endpoint, status, duration_ms, response_bytes, error) values (?, ?, ?, ?, ?, ?, ?)`);
  const insertStep = $client.prepare(
    'insert into _steps (crawl_id, committed_at, response_roles, last_request_id, outcome) values (?, ?, ?, ?, ?)',
  );
  const lastRequest = $client.prepare<[], number | null>('select max(id) from requests').pluck();
  const findCrawl = $client.prepare<
    [number],
    { readonly targetRestId: string | null; readonly finishedAt: number | null }
  >('select target_rest_id as targetRestId, finished_at as finishedAt from crawls where id = ?');
  const reopen = $client.prepare('update crawls set finished_at = null where id = ?');

  function commitPage(step: NamedFact, entry: Entry): void {
    const { crawl_id: id, committed_at: at, response_roles: roles, outcome } = step;
    operations.commitPage(toCommit(step, entry, findCrawl.get(id!)!.targetRestId));
    insertStep.run(id, at, roles, lastRequest.get(), outcome);
  }

  function followCrawl({ crawl_id: id, state, recorded_at: at, finished_at: finishedAt }: NamedFact): void {
    if (state === 'cancelled') coverage.closeGap(id!, { state, reason: null } as never, at as number);
    if (finishedAt !== null || findCrawl.get(id!)?.finishedAt == null) return;
    reopen.run(id);
    coverage.reopenGap(id!, at as number);
  }

  return {
    replay(entry) {
      for (const request of entry.facts.get('requests') ?? []) insertRequest.run(...toRequest(request));
      const [step] = entry.facts.get('steps') ?? [];
      if (step && isKnown(step.crawl_id!)) commitPage(step, entry);
      else for (const { rows, at } of toObservations(entry)) storeRows(rows, at, 0);
      for (const crawl of entry.facts.get('crawls') ?? []) followCrawl(crawl);
      for (const erasure of entry.facts.get('erasures') ?? []) erasures.add(erasure);
    },
  };
}

/** Returns the page of a step. @param knownTarget the id of the crawl's target, unless the step found it */
function toCommit(step: NamedFact, entry: Entry, knownTarget: string | null): PageCommit {
  const at = step['committed_at'] as number;
  const outcome = parseStepOutcome({ outcome: step['outcome'] as string | null });
  const observations = toObservations(entry);
  const page = observations.find((each) => each.at === at);
  const [list] = entry.facts.get('list_snapshots') ?? [];
  return {
    crawlId: step.crawl_id!,
    at,
    rows: withEmptyList(page?.rows ?? NO_ROWS, list),
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
    listDigest: (list?.['body_digest'] as string | null | undefined) ?? undefined,
    progress: {
      cursor: null,
      checkpoint: null,
      targetRestId: outcome.targetId === undefined ? knownTarget : outcome.targetId,
      pages: outcome.pages,
      items: Number(step['items'] ?? 0),
      rejectedItems: Number(step['rejected_items'] ?? 0),
    },
  };
}

/** A complete list without a member on its last page has no sighting of an edge. */
function withEmptyList(rows: PageRows, list: NamedFact | undefined): PageRows {
  if (!list || rows.follows.some(({ side }) => side === list['side'])) return rows;
  const empty = { side: list['side'], owner: list['owner_rest_id'], members: [] } as unknown as EdgeList;
  return { ...rows, follows: [...rows.follows, empty] };
}

const toRequest = (fact: NamedFact): unknown[] =>
  ['crawl_id', 'sent_at', 'endpoint', 'status', 'duration_ms', 'response_bytes', 'error'].map((column) => fact[column]);
