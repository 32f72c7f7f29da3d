import { createHash } from 'node:crypto';
import { DERIVED_TABLES } from '#store/rebuild/rebuild.ts';
import { openConnection } from '#store/sqlite/driver.ts';

/** All rows of a store by table, migrations apart. */
export function contentsOf(path: string): Record<string, unknown[]> {
  const db = openConnection(path, { readonly: true });
  try {
    const tables = db
      .prepare<[], string>(
        `select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite%'
          and name <> '__drizzle_migrations' order by name`,
      )
      .pluck()
      .all();
    return Object.fromEntries(tables.map((name) => [name, db.prepare(`select * from "${name}"`).all()]));
  } finally {
    db.close();
  }
}

/** A digest of all derived tables. */
export const derivedDigest = (path: string): string =>
  createHash('sha256')
    .update(JSON.stringify(Object.entries(contentsOf(path)).filter(([name]) => DERIVED_TABLES.has(name))))
    .digest('hex');
