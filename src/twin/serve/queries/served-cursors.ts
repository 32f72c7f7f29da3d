import { createHmac, timingSafeEqual } from 'node:crypto';

/** The start of a page: the sort key of the last item before it. */
export type PagePosition = readonly number[];

/** A list: an endpoint and its target. A cursor is valid for one list only. */
export interface CursorScope {
  readonly endpoint: string;
  readonly target: string;
}

export type Cursors = ReturnType<typeof createCursors>;

const MAC_BYTES = 16;

/** Creates opaque cursors: a position with its signature. They hold no state and survive a restart. */
export function createCursors(secret: string) {
  const sign = (scope: CursorScope, payload: Buffer): Buffer =>
    createHmac('sha256', secret)
      .update(JSON.stringify([scope.endpoint, scope.target]))
      .update(payload)
      .digest()
      .subarray(0, MAC_BYTES);
  return {
    encode(scope: CursorScope, position: PagePosition): string {
      const payload = Buffer.from(JSON.stringify(position));
      return Buffer.concat([sign(scope, payload), payload]).toString('base64url');
    },
    /** Returns the position; undefined if this twin did not create the cursor for this list. */
    decode(scope: CursorScope, cursor: string): PagePosition | undefined {
      const bytes = Buffer.from(cursor, 'base64url');
      // Decoding ignores invalid characters; only the canonical text is accepted.
      if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== cursor) return undefined;
      const payload = bytes.subarray(MAC_BYTES);
      if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), sign(scope, payload))) return undefined;
      return JSON.parse(payload.toString()) as PagePosition;
    },
  };
}
