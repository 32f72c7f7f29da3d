import zlib from 'node:zlib';
import { Zstd } from '@hpcc-js/wasm-zstd';

type Compress = (bytes: Uint8Array) => Uint8Array;
type CompressAt = (bytes: Uint8Array, level: number) => Uint8Array;

/** The levels of zstd that are tried. Level 3, its default, takes short repeats, which random digits have by chance: level 1 stores them in less. */
const LEVELS = [1, 3] as const;
/** The bytes that are compressed at both levels. */
const SAMPLE = 64 * 1024;

/** Returns the compression function of zstd, at the level that is better for the first bytes. */
export async function loadZstd(): Promise<Compress> {
  const compressAt = await loadLevels();
  return (bytes) => {
    const sample = bytes.subarray(0, SAMPLE);
    const [fast, thorough] = LEVELS.map((level) => compressAt(sample, level)) as [Uint8Array, Uint8Array];
    const isFast = fast.length <= thorough.length;
    if (sample.length === bytes.length) return isFast ? fast : thorough;
    return compressAt(bytes, LEVELS[isFast ? 0 : 1]);
  };
}

/** Returns the compression function of Node, which Node 20 does not have, or a WebAssembly one. */
async function loadLevels(): Promise<CompressAt> {
  const { zstdCompressSync, constants } = zlib as unknown as NodeZstd;
  if (zstdCompressSync)
    return (bytes, level) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: level } });
  const zstd = await Zstd.load();
  copyAtOnce(zstd);
  return (bytes, level) => zstd.compress(bytes, level);
}

/** What `node:zlib` has from Node 22.15 on. */
interface NodeZstd {
  readonly zstdCompressSync?: (bytes: Uint8Array, options: { params: Record<number, number> }) => Uint8Array;
  readonly constants: { readonly ZSTD_c_compressionLevel: number };
}

/** What the package uses to take results out of WebAssembly. */
interface Heap {
  heapView(data: unknown): Uint8Array;
  heapToUint8Array(data: unknown): Uint8Array;
}

/** Version 1.12 copies results byte by byte, through an array: a fifth of the CPU of a Parquet file. Replaces that copy. */
function copyAtOnce(zstd: Zstd): void {
  const { _mainModule: heap } = zstd as unknown as { readonly _mainModule?: Partial<Heap> };
  if (heap?.heapView && heap.heapToUint8Array) heap.heapToUint8Array = (data) => heap.heapView!(data).slice();
}
