import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { settings } from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** The start of a page: the sort key of the last item before it. */
export type PagePosition = readonly number[];

/** A list: an endpoint and its target. A cursor is valid for one list only. */
export interface CursorScope {
  readonly endpoint: string;
  readonly target: string;
}

export interface Cursors {
  encode(scope: CursorScope, position: PagePosition): string;
  /** Returns the position; undefined if this twin did not create the cursor for this list. */
  decode(scope: CursorScope, cursor: string): PagePosition | undefined;
}

const MAC_BYTES = 16;

/** Creates opaque cursors: a position with its signature. They hold no state and survive a restart. */
export function createCursors(secret: string): Cursors {
  const sign = (scope: CursorScope, payload: Buffer): Buffer =>
    createHmac('sha256', secret)
      .update(JSON.stringify([scope.endpoint, scope.target]))
      .update(payload)
      .digest()
      .subarray(0, MAC_BYTES);
  return {
    encode(scope, position) {
      const payload = Buffer.from(JSON.stringify(position));
      return Buffer.concat([sign(scope, payload), payload]).toString('base64url');
    },
    decode(scope, cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      // Decoding ignores invalid characters; only the canonical text is accepted.
      if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== cursor) return undefined;
      const payload = bytes.subarray(MAC_BYTES);
      if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), sign(scope, payload))) return undefined;
      return JSON.parse(payload.toString()) as PagePosition;
    },
  };
}

const SECRET = 'cursor_secret';

/** The secret of this store's cursors; undefined where none was made yet. */
export const readCursorSecret = (db: Db): string | undefined =>
  db.select().from(settings).where(eq(settings.key, SECRET)).get()?.value;

/** The secret of this store's cursors, made at first use. When two processes make one at once, the first one stays. */
export function cursorSecret(db: Db): string {
  const known = readCursorSecret(db);
  if (known !== undefined) return known;
  db.insert(settings)
    .values({ key: SECRET, value: randomBytes(32).toString('base64url') })
    .onConflictDoNothing()
    .run();
  return readCursorSecret(db)!;
}
