import { DuckDBInstance } from '@duckdb/node-api';
import { openConnection } from '../src/store/sqlite/driver.ts';
import { readArguments, report } from './child.ts';

/** Asks a store, or views or tables of its lake in DuckDB, in a process of its own. */

export interface LakeQuestionsArguments {
  /** The store; or the statements that create the views of a lake; or a database of DuckDB with tables. */
  readonly db?: string;
  readonly views?: string;
  readonly tables?: string;
  /** The question about the overlap of two lists, in both dialects. */
  readonly overlap: string;
}

export interface LakeAnswers {
  /** Asked twice, and the second time is measured: it finds what it reads in caches. */
  readonly overlap: LakeAnswer;
  /** It reads all edges, which no cache of SQLite has room for. */
  readonly top: LakeAnswer;
}

export interface LakeAnswer {
  readonly ms: number;
  /** User and system time of all threads. */
  readonly cpuMs: number;
  readonly rows: unknown;
}

const { db, views, tables, overlap } = readArguments<LakeQuestionsArguments>();

const TOP_FOLLOWEES =
  'select followee_rest_id as id, count(*) as n from v_current_follows group by 1 order by 2 desc, 1 limit 20';

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
async function measure(sql: string): Promise<LakeAnswer> {
  const before = process.cpuUsage();
  const startedAt = performance.now();
  const rows = await ask(sql);
  const ms = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(before);
  return { ms, cpuMs: (user + system) / 1000, rows };
}
await ask(overlap);
report({ overlap: await measure(overlap), top: await measure(TOP_FOLLOWEES) } satisfies LakeAnswers);
process.exit();
