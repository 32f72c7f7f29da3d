import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { settings } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';

const SECRET = 'cursor_secret';

/** Returns the secret of a store's cursors; undefined if there is none yet. */
export const readCursorSecret = (db: Db): string | undefined =>
  db.select().from(settings).where(eq(settings.key, SECRET)).get()?.value;

/** Returns the secret of a store's cursors, created at first use. Of two concurrent ones, the first is kept. */
export function ensureCursorSecret(db: Db): string {
  const existing = readCursorSecret(db);
  if (existing !== undefined) return existing;
  db.insert(settings)
    .values({ key: SECRET, value: randomBytes(32).toString('base64url') })
    .onConflictDoNothing()
    .run();
  return readCursorSecret(db)!;
}
