/** The keys of nodes by their id, as UTF-8 in one buffer: as strings, those of a million nodes would take 60 MB. */
export interface NodeKeys {
  set(id: number, key: string): void;
  /** Returns a key that was set before. */
  get(id: number): string;
}

/** The buffer grows by this factor. */
const GROWTH = 1.5;
/** The bytes of an id of the service. */
const USUAL_BYTES = 20;

export function createNodeKeys(idLimit: number, nodes: number): NodeKeys {
  const starts = new Uint32Array(idLimit);
  const lengths = new Uint32Array(idLimit);
  let bytes = Buffer.allocUnsafeSlow(nodes * USUAL_BYTES + 1024);
  let used = 0;
  // Decoding one byte per character takes half the time.
  let encoding: 'latin1' | 'utf8' = 'latin1';
  return {
    set(id, key) {
      const length = Buffer.byteLength(key);
      if (length !== key.length) encoding = 'utf8';
      if (used + length > bytes.length) {
        const grown = Buffer.allocUnsafeSlow(Math.ceil((used + length) * GROWTH));
        bytes.copy(grown, 0, 0, used);
        bytes = grown;
      }
      bytes.write(key, used);
      starts[id] = used;
      lengths[id] = length;
      used += length;
    },
    get(id) {
      const start = starts[id]!;
      return bytes.toString(encoding, start, start + lengths[id]!);
    },
  };
}
