import { Pool } from 'undici';
import type { RunArguments } from '../child.ts';
import { NEXT_CURSOR } from '../load-service.ts';

/**
 * Reads several lists concurrently, page by page. Each page is handled before the next one is fetched, whose cursor is
 * in a header, so that the bound of the network need not decode the page.
 */

/** Handles a body as it arrived, compressed with gzip. */
export type Handle = (body: Buffer, target: string) => void;

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
        headers: { 'x-api-key': key, 'accept-encoding': 'gzip' },
      });
      handle(Buffer.from(await answer.body.arrayBuffer()), target);
      cursor = answer.headers[NEXT_CURSOR] as string | undefined;
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
export const warmUp = ({ url, warm: { targets } }: Pick<RunArguments, 'url' | 'warm'>, handle: Handle): Promise<void> =>
  readLists({ url, targets, concurrency: targets.length, handle });
