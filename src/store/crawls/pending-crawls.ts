import type { PendingCrawl, CrawlIdentity } from '#store/schema/query-results.ts';
import type { Db } from '#store/sqlite/database.ts';
import { createValuePreparer } from '#store/sqlite/statement.ts';

const COLUMNS = ['id', 'kind', 'priority', 'reason', 'resume_at as resumeAt', 'locked_by as lockedBy']
  .concat('lock_expires_at as lockExpiresAt')
  .map((column) => `c.${column}`)
  .join(', ');

export type PendingReads = ReturnType<typeof preparePendingReads>;

/** Prepares reads of unfinished crawls, in batches: a store may have hundreds of thousands of them. */
export function preparePendingReads(db: Db) {
  const { $client } = db;
  const prepareValue = createValuePreparer(db);
  const after = $client.prepare<[number, number], PendingCrawl>(
    `select ${COLUMNS} from crawls c indexed by crawls_pending where finished_at is null and id > ? order by id limit ?`,
  );
  const among = $client.prepare<[string], PendingCrawl>(
    `select ${COLUMNS} from crawls c
     where id in (select value from json_each(?)) and finished_at is null order by id`,
  );
  const roots = prepareValue<[string], number>(
    'select value from json_each(?) where exists (select 1 from _crawl_tree where root_id = value)',
  );
  const descendants = $client.prepare<[number, number, number], PendingCrawl>(
    `select ${COLUMNS} from _crawl_tree f cross join crawls c on c.id = f.descendant_id
     where f.root_id = ? and f.descendant_id > ? and c.finished_at is null order by f.descendant_id limit ?`,
  );
  const pending = 'from crawls indexed by crawls_pending where finished_at is null';
  const any = prepareValue<[], number>(`select exists (select 1 ${pending})`);
  const count = prepareValue<[], number>(`select count(*) ${pending}`);
  const locked = prepareValue<[number], number>(
    'select count(*) from crawls indexed by crawls_locked_by where locked_by is not null and lock_expires_at > ? and finished_at is null',
  );
  const lockedByRun = prepareValue<[string], number>(
    'select count(*) from crawls indexed by crawls_locked_by where locked_by = ? and finished_at is null',
  );
  const identities = $client.prepare<[string], CrawlIdentity>(
    'select kind, target, options from crawls indexed by crawls_unfinished where kind = ? and finished_at is null',
  );
  return {
    pendingAfter: (id: number, most: number) => after.all(id, most),
    pendingAmong: (ids: readonly number[]) => (ids.length === 0 ? [] : among.all(JSON.stringify(ids))),
    withDescendants: (ids: readonly number[]) => roots.all(JSON.stringify(ids)),
    pendingDescendants: (rootId: number, id: number, most: number) => descendants.all(rootId, id, most),
    hasPending: () => any.get() === 1,
    pendingCount: () => count.get()!,
    unlockedPendingCount: (now: number) => count.get()! - locked.get(now)!,
    pendingCountOfRun: (run: string) => lockedByRun.get(run)!,
    pendingIdentities: (kind: string) => identities.all(kind),
  };
}
