import { DuckDBInstance } from '@duckdb/node-api';
import { openConnection } from '../src/store/sqlite/driver.ts';
import { readArguments, report } from './child.ts';

/** Asks a store, or views or tables of its lake in DuckDB, in a process of its own. */

export interface LakeQuestionsArguments {
  /** The store; or the statements that create the views of a lake; or a database of DuckDB with tables. */
  readonly db?: string;
  readonly views?: string;
  readonly tables?: string;
  /** The ids of two accounts with long lists of followers. */
  readonly accounts: readonly [string, string];
}

export interface LakeAnswers {
  readonly overlap: { readonly ms: number; readonly rows: unknown };
  readonly top: { readonly ms: number; readonly rows: unknown };
}

const TOP = 20;

const { db, views, tables, accounts } = readArguments<LakeQuestionsArguments>();
const [one, other] = accounts;

/** The same questions in both dialects: the store's own tables are what its views read. */
const OVERLAP = `select count(*) as n from v_current_follows a join v_current_follows b
  on b.follower_rest_id = a.follower_rest_id where a.followee_rest_id = '${one}' and b.followee_rest_id = '${other}'`;
const TOP_FOLLOWEES = `select followee_rest_id as id, count(*) as n from v_current_follows group by 1 order by 2 desc, 1 limit ${TOP}`;

async function openAnswers(): Promise<(sql: string) => Promise<unknown>> {
  if (db !== undefined) {
    const connection = openConnection(db, { readonly: true });
    return async (sql) => connection.prepare(sql).raw().all();
  }
  const instance = await DuckDBInstance.create(tables ?? ':memory:', tables ? { access_mode: 'READ_ONLY' } : {});
  const connection = await instance.connect();
  if (views !== undefined) await connection.run(views);
  return async (sql) =>
    (await connection.runAndReadAll(sql))
      .getRowsJS()
      .map((row) => row.map((value) => (typeof value === 'bigint' ? Number(value) : value)));
}

const ask = await openAnswers();
async function measure(sql: string): Promise<{ ms: number; rows: unknown }> {
  const startedAt = performance.now();
  const rows = await ask(sql);
  return { ms: performance.now() - startedAt, rows };
}
report({ overlap: await measure(OVERLAP), top: await measure(TOP_FOLLOWEES) } satisfies LakeAnswers);
process.exit();
