import type Database from 'better-sqlite3';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { systemClock } from '#base/clock.ts';
import { TrawlError } from '#base/errors.ts';
import { REQUESTED_ID } from '#store/crawls/requested-id.ts';
import { columnsWith, FULL_TEXT_INDEXES } from '#store/erasure/inventory.ts';
import { prepareFieldCounter } from '#store/evidence/field-statistics.ts';
import { prepareSearchIndex } from '#store/merge/full-text-index.ts';
import { createUserCache } from '#store/merge/user-cache.ts';
import { TWEET_LISTS } from '#store/relations/list-relations.ts';
import { type Db, MIGRATIONS_FOLDER } from '#store/sqlite/database.ts';
import { quoteName } from '#store/sqlite/quote-name.ts';
import { openReplacement } from '#store/sqlite/replacement.ts';
import { prepareOperations } from '#store/writer/operations.ts';
import { RELEASE_GAPS } from '#store/writer/reprocess.ts';
import { replaySteps } from './replay.ts';
import { listPagesWithRows, reprocessPages, type ReprocessSummary } from './stored-responses.ts';

export interface RebuildOptions {
  readonly path: string;
  readonly signal: AbortSignal;
  /** Called with the number of pages read. */
  readonly onProgress: (pages: number, total: number) => void;
}

/** A rebuild lacks these pages. */
export class MissingPagesError extends TrawlError {
  override readonly name = 'MissingPagesError';
  readonly missing: readonly MissingPages[];

  constructor(missing: readonly MissingPages[]) {
    const pages = missing.reduce((sum, crawl) => sum + crawl.pages, 0);
    super(
      `${pages} ${pages === 1 ? 'page is' : 'pages are'} missing, of ${missing.length} ${missing.length === 1 ? 'crawl' : 'crawls'}: nothing was changed`,
      {
        hint: 'They were not kept (--no-raw), or have expired (TRAWL_RAW_DAYS). --keep-rows keeps all rows and reprocesses the existing pages.',
      },
    );
    this.missing = missing;
  }

  /** Whether all of them were removed on purpose, so that no rebuild can have them again. */
  get areWithheld(): boolean {
    return this.missing.every(({ pages, withheld }) => pages === withheld);
  }
}

/**
 * Rebuilds the tables of a store from its raw pages, in a new file that replaces the old one at the end. Sends no
 * request. Returns the number of pages read.
 * @throws MissingPagesError; TrawlError if the store is in use or contains rows that come from no page. The store is
 * unchanged then.
 */
export async function rebuild({ path, signal, onProgress }: RebuildOptions): Promise<number> {
  using replacement = openReplacement(path, requirePages);
  const { db } = replacement;
  const total = count(db, 'old.raw_pages');
  const finish = resetStore(db);
  const pages = await replaySteps(db, { signal, onProgress: (done) => onProgress(done, total) });
  finish();
  const lost = findLostRows(db);
  if (lost.length > 0) {
    const description = lost.map(({ table, rows }) => `${rows} ${table}`).join(', ');
    throw createLostRowsError(`its pages do not contain all of its rows (missing: ${description})`);
  }
  replacement.swap();
  return pages;
}

function requirePages(store: Pick<Db, '$client'>): void {
  const missing = findMissingPages(store);
  if (missing.length > 0) throw new MissingPagesError(missing);
  if (count(store, 'old.raw_pages') === 0 && count(store, 'old.users') > 0)
    throw createLostRowsError('no page is on record');
}

/**
 * Rebuilds a store with missing pages: stored rows are kept, and the existing pages are merged into them with their
 * original times. This fills new columns and stores items that were rejected. Coverage, history and ended edges do not
 * change.
 */
export async function reprocessStore({ path, signal, onProgress }: RebuildOptions): Promise<ReprocessSummary> {
  using replacement = openReplacement(path);
  const { db } = replacement;
  const total = count(db, 'raw_pages');
  const operations = prepareOperations(db, createUserCache(db), prepareFieldCounter(db));
  db.$client.exec('begin');
  const summary = await reprocessPages(db, {
    ids: listPagesWithRows(db),
    signal,
    now: systemClock.now,
    store: async (page) => operations.reprocessPage(page),
    onPage: (pages) => onProgress(pages, total),
  });
  db.$client.exec('commit');
  replacement.swap();
  return summary;
}

const count = ({ $client }: Pick<Db, '$client'>, table: string): number =>
  $client.prepare<[], number>(`select count(*) from ${table}`).pluck().get()!;

const createLostRowsError = (reason: string): TrawlError =>
  new TrawlError(`this store cannot be rebuilt from pages: ${reason}. Nothing was changed`, {
    hint: 'Synthetic worlds, rows of other programs and restored databases have no page. --keep-rows keeps all rows.',
  });

/** Pages of a crawl whose step or body is missing. */
interface MissingPages {
  readonly crawlId: number;
  readonly kind: string;
  readonly target: string;
  readonly pages: number;
  /** Those among them that were removed on purpose. */
  readonly withheld: number;
  /** The time of the newest one, in milliseconds UTC. */
  readonly until: number;
}

/**
 * Returns the pages that a rebuild lacks, by crawl: bodies that were not kept, have expired or were removed, and pages from
 * before the journal.
 */
const findMissingPages = ({ $client }: Pick<Db, '$client'>): MissingPages[] =>
  $client
    .prepare<[], MissingPages>(
      `with gone as (
        select crawl_id, count(*) as pages, count(withheld) as withheld, max(committed_at) as until from old._steps s
        where response_roles <> '' and (first_raw_page_id is null or length(response_roles) > (
          select count(*) from old.raw_pages r
          where r.id between s.first_raw_page_id and s.first_raw_page_id + length(response_roles) - 1 and r.crawl_id = s.crawl_id))
        group by crawl_id),
      counted as (
        select crawl_id, sum(case when outcome is null then 1 else json_extract(outcome, '$.pages') end) as pages
        from old._steps group by crawl_id)
      select c.id as crawlId, c.kind, c.target, coalesce(g.pages, 0) + max(0, c.pages - coalesce(k.pages, 0)) as pages,
        coalesce(g.withheld, 0) as withheld, coalesce(g.until, c.updated_at) as until
      from old.crawls c left join gone g on g.crawl_id = c.id left join counted k on k.crawl_id = c.id
      where g.pages > 0 or c.pages > coalesce(k.pages, 0) order by c.id`,
    )
    .all();

/**
 * Returns the number of rows by table that a rebuild does not produce, such as rows of a synthetic world or of another
 * program.
 */
function findLostRows({ $client }: Db): { readonly table: string; readonly rows: number }[] {
  const count = (query: string): number => $client.prepare<[], number>(`select ${query}`).pluck().get()!;
  const byId = ['users', 'tweets', 'communities', 'lists'].map((table) => ({
    table,
    rows: count(`count(*) from old.${table} where rest_id not in (select rest_id from main.${table})`),
  }));
  const byNumber = ['follows', 'searches', ...TWEET_LISTS.map(([, { table }]) => table)].map((table) => ({
    table,
    rows: count(`(select count(*) from old.${table}) - (select count(*) from main.${table})`),
  }));
  return [...byId, ...byNumber].filter(({ rows }) => rows > 0);
}

/**
 * Tables that a rebuild derives from pages: those about accounts, tweets and searches, and what pages say of groups, coverage and
 * fields. All others stay; the counters of `crawls` are counted again.
 */
export const DERIVED_TABLES: ReadonlySet<string> = new Set([
  ...columnsWith('user key', 'tweet key', 'search key').map(([table]) => table),
  ...TWEET_LISTS.map(([, { owners }]) => owners),
  'coverage',
  'gaps',
  '_search_windows',
  '_drift',
  '_field_statistics',
  'rejects',
  '_dropped_fields',
  '_search_updates',
]);

/** Columns of a crawl that a replay counts again; the others stay. */
const COUNTED_COLUMNS = ['items', 'new_items', 'changes', 'rejected_items'];

/** The state of a crawl before its first page. The unique index over unfinished crawls is dropped meanwhile. */
const RESET_CRAWLS = `update main.crawls set state = 'running', reason = null, ending = null, error = null, target_rest_id = ${REQUESTED_ID},
  cursor = null, checkpoint = null, pages = 0, items = 0, new_items = 0, changes = 0, rejected_items = 0, requests = 0, consecutive_failures = 0, lease_token = 0,
  finished_at = null`;

/**
 * Empties the derived tables of a copy, and resets its crawls. Requests come back with their steps. Triggers of users would keep
 * the replay as history: they are dropped meanwhile. Returns the function that restores the remaining records after the
 * replay, and objects of users.
 */
function resetStore(db: Db): () => void {
  const { $client } = db;
  const list = <Row>(columns: string, where: string): Row[] =>
    $client.prepare<[], Row>(`select ${columns} from main.sqlite_schema where ${where} order by rowid`).all();
  const triggers = list<SchemaEntry>('name, sql', `type = 'trigger'`);
  const [unfinished] = list<SchemaEntry>('name, sql', `name = 'crawls_unfinished'`);
  for (const { name } of triggers) $client.exec(`drop trigger main.${quoteName(name)}`);
  $client.exec(`drop index main.crawls_unfinished; delete from main.requests`);
  for (const table of DERIVED_TABLES) $client.exec(`delete from main.${table}`);
  for (const { name, sql } of list<SchemaEntry>('name, sql', `name in ('${FULL_TEXT_INDEXES.join("', '")}')`))
    $client.exec(`drop table main.${name}; ${sql}`);
  $client.exec(RESET_CRAWLS);
  const migrations = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).flatMap(({ sql }) => sql);
  const isOwn = ({ name }: SchemaEntry): boolean =>
    migrations.some((sql) => sql.includes(`CREATE TRIGGER \`${name}\``));
  for (const { sql } of triggers.filter(isOwn)) $client.exec(sql);

  return () => {
    restoreRecords($client);
    prepareSearchIndex(db)();
    $client.exec(unfinished!.sql);
    for (const { name, sql } of list<SchemaEntry>('name, sql', `sql like 'create virtual table %'`))
      if (!FULL_TEXT_INDEXES.includes(name) && /\susing\s+["'`[]?fts[345]\b/i.test(sql)) rebuildIndex($client, name);
    for (const trigger of triggers) if (!isOwn(trigger)) $client.exec(trigger.sql);
  };
}

interface SchemaEntry {
  readonly name: string;
  readonly sql: string;
}

function restoreRecords(client: Database.Database): void {
  client.exec(
    'insert into main.requests select * from old.requests where id > coalesce((select max(id) from main.requests), 0)',
  );
  const columns = client
    .prepare<[], string>("select name from pragma_table_info('crawls')")
    .pluck()
    .all()
    .filter((name) => name !== 'id' && !COUNTED_COLUMNS.includes(name))
    .map(quoteName)
    .join(', ');
  client.exec(`
    create temp table cleared as select c.id, c.state, c.reason from main.crawls c join old.crawls o on o.id = c.id
      where c.state in ('complete', 'capped') and o.reason = 'rejected_items' or c.state = 'capped' and o.state = 'complete';
    update main.crawls set (${columns}) = (select ${columns} from old.crawls o where o.id = crawls.id);
    update main.crawls set (state, reason) = (select state, reason from temp.cleared c where c.id = crawls.id)
      where id in (select id from temp.cleared);
    drop table temp.cleared;
    ${RELEASE_GAPS}`);
}

/** Rebuilds a full-text index of a user with external content, whose rows the replay may have changed. */
function rebuildIndex(client: Database.Database, name: string): void {
  const hasContent = client.prepare('select 1 from main.sqlite_schema where name = ?').get(`${name}_content`);
  if (hasContent) return;
  try {
    client.exec(`insert into main.${quoteName(name)} (${quoteName(name)}) values ('rebuild')`);
  } catch (error) {
    // An index without a content table keeps its copied data.
    if ((error as { code?: unknown }).code !== 'SQLITE_ERROR') throw error;
  }
}
