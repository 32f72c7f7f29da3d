import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import Database from 'better-sqlite3';

/** The bodies as they would be had the service never been wrong: what a mended normaliser makes of the wrong ones. */
export function mend(path: string): void {
  const db = new Database(path);
  const set = db.prepare('update raw_pages set body = ? where id = ?');
  for (const { id, body } of db.prepare('select id, body from raw_pages').all() as { id: number; body: Buffer }[]) {
    const text = brotliDecompressSync(body).toString();
    if (text.includes('"text":7'))
      set.run(brotliCompressSync(text.replaceAll('"text":7', '"text":"tweet mended"')), id);
  }
  db.close();
}
