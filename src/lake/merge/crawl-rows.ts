import type { CoverageWriter } from '#store/coverage/coverage.ts';
import { ERASED_MARK } from '#store/erasure/erased-mark.ts';
import type { Db } from '#store/sqlite/database.ts';
import { type NamedFact, timeOf } from './read-shipped-entries.ts';

/** The columns that a crawl has while it is not finished, and those of its end. */
const KNOWN = ['handle', 'options', 'priority', 'started_at', 'requests'];
const IDENTITY = ['kind', 'target', 'created_at'];
const COUNTS = ['pages', 'items', 'rejected_items', 'erased_items'];
const RESULTS = ['target_rest_id', ...COUNTS, 'finished_at', 'error'];
/** What the replay has decided when a crawl has ended, by what all stores showed. */
const DECIDED = ['state', 'reason', 'ending'];
const ALL = [...IDENTITY, ...KNOWN, ...RESULTS, ...DECIDED];

/** A crawl that another store has not finished. */
const NOT_FINISHED = { state: 'partial', reason: 'not_finished' } as const;
const IS_LEFT = `state = '${NOT_FINISHED.state}' and reason = '${NOT_FINISHED.reason}'`;
const IS_UNFINISHED = `(finished_at is null or ${IS_LEFT})`;

const INSERT = `insert into crawls (parent_id, root_id, updated_at, ${ALL.join(', ')})
  values (@parent, @root, @at, ${ALL.map((column) => `@${column}`).join(', ')}) returning id`;

/** Requests and children refer to crawls of forgotten accounts. */
const INSERT_FORGOTTEN = `
  insert into crawls (kind, target, options, priority, state, reason, created_at, updated_at, finished_at)
  values ('profile', '${ERASED_MARK}', '{}', 'interactive', 'cancelled', 'erased', @at, @at, @at) returning id`;

const UPDATE = `update crawls set updated_at = @at, ${KNOWN.map((column) => `${column} = @${column}`).join(', ')}`;
const UPDATE_RESULTS = RESULTS.map((column) => `${column} = @${column}`).join(', ');

/** Gives a crawl its end, unless the replay has decided it. */
const END = `${UPDATE}, ${UPDATE_RESULTS}, ${DECIDED.map(
  (column) => `${column} = iif(${IS_UNFINISHED}, @${column}, ${column})`,
).join(', ')} where id = @id`;

/**
 * Another crawl with the same identity may be unfinished: during a commit, the options differ by a space. Whoever has resumed the
 * crawl in the merged store loses its lease.
 */
const BEGIN = `update crawls set finished_at = null, started_at = coalesce(started_at, ?), options = options || ' ',
  lease_token = 0, cursor = null where id = ? and ${IS_UNFINISHED}`;
const FINISH = 'update crawls set options = rtrim(options) where id = ?';
const LEAVE = `update crawls set state = '${NOT_FINISHED.state}', reason = '${NOT_FINISHED.reason}', finished_at = ?
  where id = ? and finished_at is null`;

/** A crawl whose next page is stored. */
export interface CrawlOfPage {
  readonly kind: string;
  readonly targetRestId: string | null;
}

/** The rows of crawls that facts are about. */
export type CrawlRows = ReturnType<typeof prepareCrawlRows>;

/**
 * Prepares the rows of crawls. They get numbers in the order in which their facts come, and unfinished ones are partial, so that
 * no worker runs them.
 */
export function prepareCrawlRows({ $client }: Db, coverage: CoverageWriter) {
  const find = $client
    .prepare<[object], number>(
      'select crawl_id from _merged_crawls join _merged_stores s on s.id = store_id where number = @number and store = @store',
    )
    .pluck();
  const insert = $client.prepare<[object], number>(INSERT).pluck();
  const insertForgotten = $client.prepare<[object], number>(INSERT_FORGOTTEN).pluck();
  const insertInTree = $client.prepare('insert into _crawl_tree (root_id, descendant_id) values (?, ?)');
  const addNumber = $client.prepare(
    'insert into _merged_crawls (store_id, number, crawl_id) select id, @number, @id from _merged_stores where store = @store',
  );
  const update = $client.prepare(`${UPDATE} where id = @id`);
  const end = $client.prepare(END);
  const reopen = $client.prepare(
    `update crawls set finished_at = null, state = 'running', reason = null, ending = null, error = null
     where id = ? and not ${IS_UNFINISHED}`,
  );
  const findState = $client.prepare<[number], CrawlOfPage>(
    "select kind, target_rest_id as targetRestId from crawls where id = ? and reason is not 'erased'",
  );
  const [begin, finish, leave] = [$client.prepare(BEGIN), $client.prepare(FINISH), $client.prepare(LEAVE)];
  const listLeft = $client.prepare<[], number>(`select id from crawls where ${IS_LEFT}`).pluck();

  function findId(fact: NamedFact, column: string): number | undefined {
    const number = fact[column];
    return number == null ? undefined : find.get({ store: fact['store'], number });
  }

  function add({ store, crawl_id: number }: NamedFact, id: number): number {
    addNumber.run({ store, number, id });
    return id;
  }

  function create(fact: NamedFact, at: number): number {
    const [parent = null, root = null] = [findId(fact, 'parent_id'), findId(fact, 'root_id')];
    const left = fact['finished_at'] === null ? { ...NOT_FINISHED, finished_at: at } : undefined;
    const row = { ...fact, ...left, parent, root, at };
    const id = add(fact, insert.get(row)!);
    if (root !== null && root !== id) insertInTree.run(root, id);
    return id;
  }

  return {
    /** Returns the number of a crawl. A purge removes facts about crawls of forgotten accounts: these get a row without a target. */
    idOf: (fact: NamedFact): number =>
      findId(fact, 'crawl_id') ?? add(fact, insertForgotten.get({ at: timeOf([fact]) })!),

    /** Creates or changes a crawl by a fact about it. */
    record(fact: NamedFact): void {
      const at = fact['recorded_at'] as number;
      const id = findId(fact, 'crawl_id') ?? create(fact, at);
      const { state } = fact;
      if (state === 'cancelled') coverage.closeGap(id, { state, reason: undefined, ending: undefined }, at);
      if (fact['finished_at'] !== null) return void end.run({ ...fact, at, id });
      update.run({ ...fact, at, id });
      // It is resumed.
      if (reopen.run(id).changes > 0) coverage.reopenGap(id, at);
      leave.run(at, id);
    },

    /**
     * Lets a page of an unfinished crawl be stored.
     * @param startedAt when the crawl began
     * @returns false if its page is not stored: the crawl is of a forgotten account, or has ended
     */
    storePage(id: number, startedAt: number, at: number, commit: (crawl: CrawlOfPage) => void): boolean {
      const state = findState.get(id);
      if (!state || begin.run(startedAt, id).changes === 0) return false;
      commit(state);
      finish.run(id);
      leave.run(at, id);
      return true;
    },

    /** Reopens the gaps of unfinished crawls, before further pages. */
    openGaps(at: number): void {
      for (const id of listLeft.all()) coverage.reopenGap(id, at);
    },

    /** Closes the gaps of unfinished crawls. Returns their number. */
    closeGaps(at: number): number {
      const left = listLeft.all();
      for (const id of left) coverage.closeGap(id, { ...NOT_FINISHED, ending: undefined }, at);
      return left.length;
    },
  };
}
