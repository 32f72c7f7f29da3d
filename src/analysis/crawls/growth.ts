import { DAY } from '../../base/clock.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findFirstIdSince } from './throughput.ts';

/** The growth is measured over at most this many days. */
const WINDOW_DAYS = 7;
/** The number of requests that are sampled for the size of responses. */
const SAMPLES = 500;

/**
 * Estimates the growth of a store in bytes per day, bodies and rows together; undefined if its first request is younger than
 * a day. The bytes in use are split in proportion to the response bytes of the latest days. Bodies that are removed
 * after `TRAWL_RAW_DAYS` are not subtracted. Reads some hundred rows, whatever the size.
 */
export function estimateGrowth(db: Db, now: number): number | undefined {
  const { $client } = db;
  const ends = $client
    .prepare<[], { id: number; at: number }>(
      `select id, sent_at as at from (select id, sent_at from requests order by id limit 1)
        union all select id, sent_at from (select id, sent_at from requests order by id desc limit 1)`,
    )
    .all();
  const [first, last] = ends;
  if (!first || !last || now - first.at < DAY) return undefined;
  const days = Math.min(WINDOW_DAYS, (now - first.at) / DAY);
  const from = findFirstIdSince(db, now - days * DAY);
  const sizeOf = $client
    .prepare<[number], number>('select response_bytes from requests where id >= ? order by id limit 1')
    .pluck();

  /** Estimates the bytes of the responses with these request ids. */
  function bytesBetween(low: number, high: number): number {
    const n = high - low + 1;
    if (n <= 0) return 0;
    const samples = Math.min(n, SAMPLES);
    let bytes = 0;
    for (let i = 0; i < samples; i++) bytes += sizeOf.get(low + Math.floor((i * n) / samples)) ?? 0;
    return (bytes / samples) * n;
  }

  const all = bytesBetween(first.id, last.id);
  return all === 0 ? 0 : Math.round((usedBytes(db) * bytesBetween(from, last.id)) / all / days);
}

/** The bytes of a store's file without free pages. */
function usedBytes({ $client }: Db): number {
  const value = (name: string): number => $client.pragma(name, { simple: true }) as number;
  return (value('page_count') - value('freelist_count')) * value('page_size');
}
