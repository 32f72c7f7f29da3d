import { eq } from 'drizzle-orm';
import { settings } from './schema/tables.ts';
import type { Db } from './sqlite/database.ts';

/** Returns the id of a store; undefined before it was opened for writing for the first time. */
export const readStoreId = (db: Db): string | undefined =>
  db.select().from(settings).where(eq(settings.key, 'store_id')).get()?.value;
