import { openDatabase } from '#store/sqlite/database.ts';
import { createStoreFile } from '../../support/store-file.ts';

/**
 * Creates a store with so many crawls of accounts: of ten, three are queued, two failed, one cancelled and four complete. The
 * targets are `user_<id>`; those of every thousandth crawl are hostile.
 */
export function createCrawlStore(count: number, file?: string): string {
  const path = createStoreFile(file);
  const { $client } = openDatabase(path);
  $client.exec(`
    insert into runs (id, job_name, created_at) values (1, 'nightly', 1), (2, null, 1);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into crawls (id, kind, target, handle, options, priority, state, reason, ending, pages, requests, created_at, started_at,
      updated_at, finished_at, run_id)
    select i, iif(i % 2, 'timeline', 'followers'), iif(i % 1000 = 7, ${HOSTILE_SQL}, 'user_' || i), null, '{"maxPages":' || i || '}', 'scheduled',
      case when i % 10 < 3 then 'queued' when i % 10 < 5 then 'failed' when i % 10 < 6 then 'cancelled' else 'complete' end,
      iif(i % 10 in (3, 4), 'not_found', null), iif(i % 10 > 5, 'served', null), i % 7, i % 9, 1000 + i, iif(i % 10 < 3, null, 2000 + i), 3000 + i,
      iif(i % 10 < 3, null, 5000 + i), 1 + i % 2
    from n`);
  $client.close();
  return path;
}

const HOSTILE = '<img src=x onerror=alert(1)>\u202Egnp.exe';
const HOSTILE_SQL = `'${HOSTILE}'`;
