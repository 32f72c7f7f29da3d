import { Zstd } from '@hpcc-js/wasm-zstd';

/** Returns the compression function of zstd at its default level. Node 20 has none of its own. */
export async function loadZstd(): Promise<(bytes: Uint8Array) => Uint8Array> {
  const zstd = await Zstd.load();
  return (bytes) => zstd.compress(bytes);
}
