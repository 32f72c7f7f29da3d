import { Pool } from 'undici';

/** Reads several lists concurrently, page by page. Each page is handled before the next one is fetched. */

export type Handle = (body: Buffer, target: string) => void;

const CURSOR = /"cursor":\{"value":"([^"]+)"/;

export async function readLists(options: {
  url: string;
  targets: readonly string[];
  concurrency: number;
  handle: Handle;
  key?: string | undefined;
}): Promise<void> {
  const { url, targets, concurrency, handle, key = 'bench' } = options;
  const pool = new Pool(url, { connections: Math.max(concurrency, 1) });
  const remaining = [...targets];

  async function readList(target: string): Promise<void> {
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const answer = await pool.request({
        method: 'GET',
        path: `/api/microblog/followers?restId=${target}${query}`,
        headers: { 'x-api-key': key },
      });
      const body = Buffer.from(await answer.body.arrayBuffer());
      handle(body, target);
      cursor = readCursor(body);
    }
  }

  async function readNextLists(): Promise<void> {
    for (let target = remaining.shift(); target !== undefined; target = remaining.shift()) await readList(target);
  }

  try {
    await Promise.all(Array.from({ length: concurrency }, readNextLists));
  } finally {
    await pool.close();
  }
}

/** Reads the warm-up lists concurrently. */
export const warmUp = (run: { url: string; warm: readonly string[] }, handle: Handle): Promise<void> =>
  readLists({ ...run, targets: run.warm, concurrency: run.warm.length, handle });

/** The next cursor is at the end of a page. */
function readCursor(body: Buffer): string | undefined {
  return CURSOR.exec(body.toString('latin1', Math.max(0, body.length - 200)))?.[1];
}
