import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { settings } from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** Where a page starts: the sort key of the last item before it. */
export type PagePosition = readonly number[];

/** A list that can be walked: an endpoint, and whose list it is. A cursor of one is worthless to any other. */
export interface CursorScope {
  readonly endpoint: string;
  readonly target: string;
}

export interface Cursors {
  encode(scope: CursorScope, position: PagePosition): string;
  /** The position, or undefined when this twin did not make the cursor for this walk. */
  decode(scope: CursorScope, cursor: string): PagePosition | undefined;
}

const MAC_BYTES = 16;

/** Opaque cursors: a position and its signature. They hold no state, and stay good when the twin is started again. */
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
      // Decoding skips what is not base64url, so that many texts give the same bytes: only one of them is ours.
      if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== cursor) return undefined;
      const payload = bytes.subarray(MAC_BYTES);
      if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), sign(scope, payload))) return undefined;
      return JSON.parse(payload.toString()) as PagePosition;
    },
  };
}

const SECRET = 'cursor_secret';

/** The secret of this store's cursors, made at first use. When two processes make one at once, the first one stays. */
export function cursorSecret(db: Db): string {
  const stored = () => db.select().from(settings).where(eq(settings.key, SECRET)).get();
  const existing = stored();
  if (existing) return existing.value;
  db.insert(settings)
    .values({ key: SECRET, value: randomBytes(32).toString('base64url') })
    .onConflictDoNothing()
    .run();
  return stored()!.value;
}
