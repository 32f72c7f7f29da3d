import type { ChangeToken } from '../../store/sqlite/change-detector.ts';

/** Bytes of the ring per slot of the index: small, so that few ids share a slot. */
const BYTES_PER_SLOT = 64;
/** Before each fragment: its id and its length. */
const HEAD_BYTES = 12;

/**
 * Caches JSON fragments by the id of their row while the store is unchanged. They are in a ring buffer, which the garbage
 * collector does not visit; the oldest ones are overwritten first. Of ids that share a slot of the index, the latest is
 * found.
 * @param maxBytes the size of the ring; the index takes an eighth more
 */
export function createFragmentCache(maxBytes: number) {
  /** Positions of fragments in the sequence of all bytes ever written, which begins at 1; 0 is none. */
  const starts = new Float64Array(Math.max(1, Math.floor(maxBytes / BYTES_PER_SLOT)));
  let ring: Buffer | undefined;
  let heads: DataView | undefined;
  let end = 1;
  let validFrom = 1;
  let cachedState: ChangeToken | undefined;
  let added: (readonly [id: number, fragment: Buffer])[] = [];

  function write(id: number, fragment: Buffer): void {
    const size = HEAD_BYTES + fragment.length;
    if (size > maxBytes) return;
    ring ??= Buffer.allocUnsafeSlow(maxBytes);
    heads ??= new DataView(ring.buffer);
    const at = end % maxBytes;
    // A fragment does not continue at the start of the ring.
    const start = at + size > maxBytes ? end - at + maxBytes : end;
    const head = start % maxBytes;
    heads.setFloat64(head, id);
    heads.setUint32(head + 8, fragment.length);
    ring.set(fragment, head + HEAD_BYTES);
    starts[id % starts.length] = start;
    end = start + size;
  }

  return {
    /** Begins a read of a state of the store. Fragments found before are no longer valid. */
    beginRead(state: ChangeToken): void {
      if (state === cachedState) for (const [id, fragment] of added) write(id, fragment);
      else validFrom = end;
      cachedState = state;
      added = [];
    },
    find(id: number): Buffer | undefined {
      const start = starts[id % starts.length]!;
      if (!ring || !heads || !(start >= validFrom && start >= end - maxBytes)) return undefined;
      const head = start % maxBytes;
      if (heads.getFloat64(head) !== id) return undefined;
      const from = head + HEAD_BYTES;
      return ring.subarray(from, from + heads.getUint32(head + 8));
    },
    /** Adds a fragment of the state of this read, for the next one. */
    add: (id: number, fragment: Buffer): void => void added.push([id, fragment]),
  };
}
