import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FACT_TABLE_NAMES, FACT_TABLES } from '../../src/ship/facts/fact-tables.ts';
import { askLake } from './lake.ts';

/** The numbers of facts and of different facts by table. */
export async function countFacts(lake: string): Promise<unknown[][]> {
  const tables = FACT_TABLE_NAMES.filter((table) => existsSync(join(lake, table)));
  // A snapshot has the time when it was taken, and requests have no other identity.
  const counts = tables.map((table) => {
    const columns = Object.keys(FACT_TABLES[table].columns).filter((name) => name !== 'taken_at');
    return `select '${table}' as name, count(*), count(distinct (crawl_id, ${columns.join(', ') || '1'})) from ${table}`;
  });
  return await askLake(lake, `${counts.join(' union all ')} order by name`);
}
