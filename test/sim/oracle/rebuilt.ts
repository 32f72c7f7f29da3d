import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type Database from 'better-sqlite3';
import { rebuild } from '#store/rebuild/rebuild.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import type { Failure } from '../run.ts';

/** Invariant 10: a store that is rebuilt from raw pages is identical. */
export async function checkRebuild(db: Database.Database): Promise<Failure[]> {
  const path = join(dirname(db.name), 'rebuilt.db');
  try {
    db.prepare('vacuum into ?').run(path);
    await rebuild({ path, signal: new AbortController().signal, onProgress: () => undefined });
    return differences(db, path);
  } catch (error) {
    return [{ invariant: 'invariant 10', message: `a rebuild failed: ${(error as Error).stack}` }];
  } finally {
    rmSync(path, { force: true });
  }
}

function differences(db: Database.Database, path: string): Failure[] {
  const rebuilt = openConnection(path, { readonly: true });
  try {
    const tables = rebuilt
      .prepare<[], string>("select name from pragma_table_list where type in ('table', 'shadow') and schema = 'main'")
      .pluck()
      .all()
      // The layout of a full-text index depends on its history; its content does not.
      .filter((name) => !/_fts_(data|idx)$|^sqlite_|__drizzle_migrations/.test(name));
    return tables.flatMap((table): Failure[] => {
      const [before, after] = [db, rebuilt].map((file) => file.prepare(`select * from ${table}`).all().map(print));
      const at = before!.findIndex((row, i) => row !== after![i]);
      if (at < 0 && after!.length === before!.length) return [];
      const place = at < 0 ? before!.length : at;
      return [
        {
          invariant: 'invariant 10',
          message: `${table} is another after a rebuild (${before!.length} rows, then ${after!.length}): ${before![place]} became ${after![place]}`,
        },
      ];
    });
  } finally {
    rebuilt.close();
  }
}

const print = (row: unknown): string => JSON.stringify(row);
