import { brotliCompressSync, brotliDecompressSync, deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import { openConnection } from '#store/sqlite/driver.ts';

/** The encodings of stored bodies, independent of the code. */
const ENCODINGS: Record<string, { compress: (body: Buffer) => Buffer; decompress: (body: Buffer) => Buffer }> = {
  br: { compress: brotliCompressSync, decompress: brotliDecompressSync },
  deflate: { compress: deflateSync, decompress: inflateSync },
  gzip: { compress: gzipSync, decompress: gunzipSync },
};

interface StoredPage {
  readonly id: number;
  readonly encoding: string;
  readonly body: Buffer;
}

export const decompressPage = ({ encoding, body }: StoredPage): Buffer => ENCODINGS[encoding]!.decompress(body);

/** Corrects the bodies of all crawls or of one, as if the service had sent readable ids. */
export function repairBodies(path: string, crawlId?: number): void {
  const db = openConnection(path);
  const set = db.prepare('update raw_pages set body = ? where id = ?');
  const pages = db.prepare<[number | null], StoredPage>(
    'select id, encoding, body from raw_pages where crawl_id = coalesce(?, crawl_id)',
  );
  for (const page of pages.all(crawlId ?? null)) {
    const text = decompressPage(page).toString();
    const repaired = text.replaceAll(/"id":\{"of":("\d+")\}/g, '"id":$1');
    if (repaired !== text) set.run(ENCODINGS[page.encoding]!.compress(Buffer.from(repaired)), page.id);
  }
  db.close();
}
