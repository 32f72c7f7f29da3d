import { FACT_TABLE_NAMES, FACT_TABLES } from '#store/outbox/fact-tables.ts';
import { openLake } from './lake.ts';

/** The numbers of facts and of different facts by table. */
export function countFacts(lake: string): unknown[][] {
  const ask = openLake(lake);
  return FACT_TABLE_NAMES.map((table) => {
    // A snapshot has the time when it was taken, and requests have no other identity.
    const columns = Object.keys(FACT_TABLES[table].columns).filter((name) => name !== 'taken_at');
    const different = `select distinct crawl_id, ${columns.join(', ') || '1'} from ${table}`;
    return [table, ...ask(`select (select count(*) from ${table}), (select count(*) from (${different}))`)[0]!];
  });
}
