import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { openConnection } from '../../src/store/sqlite/driver.ts';

/** Corrects the bodies of all crawls or of one, as if the service had sent readable ids. */
export function repairBodies(path: string, crawlId?: number): void {
  const db = openConnection(path);
  const set = db.prepare('update raw_pages set body = ? where id = ?');
  const pages = db.prepare<[number | null], { id: number; body: Buffer }>(
    'select id, body from raw_pages where crawl_id = coalesce(?, crawl_id)',
  );
  for (const { id, body } of pages.all(crawlId ?? null)) {
    const text = brotliDecompressSync(body).toString();
    const repaired = text.replaceAll(/"id":\{"of":("\d+")\}/g, '"id":$1');
    if (repaired !== text) set.run(brotliCompressSync(repaired), id);
  }
  db.close();
}
