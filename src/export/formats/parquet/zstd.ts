import zlib from 'node:zlib';
import { Zstd } from '@hpcc-js/wasm-zstd';

type Compress = (bytes: Uint8Array) => Uint8Array;

/** Returns the compression function of zstd at its default level: that of Node, which Node 20 does not have, or a WebAssembly one. */
export async function loadZstd(): Promise<Compress> {
  const { zstdCompressSync } = zlib as { readonly zstdCompressSync?: Compress };
  if (zstdCompressSync) return zstdCompressSync;
  const zstd = await Zstd.load();
  copyAtOnce(zstd);
  return (bytes) => zstd.compress(bytes);
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
