import { count, eq, isNull, max, sql } from 'drizzle-orm';
import { rawPages, rejects } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';

/** Rejected items with the same endpoint, field and reason. */
export interface RejectGroup {
  readonly endpoint: string;
  /** The path in the item, without array positions. */
  readonly field: string;
  readonly reason: string;
  readonly items: number;
  /** Of these, those on pages whose bodies are stored. */
  readonly readable: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** The newest of them, and its crawl. */
  readonly sample: string;
  readonly crawlId: number;
}

/** Unresolved rejects by endpoint, field and reason, the most common first. */
export function groupRejects(db: Db): RejectGroup[] {
  const { endpoint, path, reason, rejectedAt } = rejects;
  const rows = db
    .select({
      endpoint,
      path,
      reason,
      items: count(),
      readable: count(rawPages.id),
      newestId: max(rejects.id),
      firstAt: sql<number>`min(${rejectedAt})`,
      lastAt: sql<number>`max(${rejectedAt})`,
    })
    .from(rejects)
    .leftJoin(rawPages, eq(rawPages.id, rejects.rawPageId))
    .where(isNull(rejects.resolvedAt))
    .groupBy(endpoint, path, reason)
    .all();
  const alike = new Map<string, Omit<RejectGroup, 'sample' | 'crawlId'> & { readonly newestId: number }>();
  for (const { path, newestId, ...row } of rows) {
    const field = path.replaceAll(/\/\d+(?=\/|$)/g, '').replace(/^\/data\//, '');
    const key = [row.endpoint, field, row.reason].join('\n');
    const sum = alike.get(key);
    alike.set(key, {
      ...(sum ?? row),
      field,
      items: row.items + (sum?.items ?? 0),
      readable: row.readable + (sum?.readable ?? 0),
      firstAt: Math.min(row.firstAt, sum?.firstAt ?? Infinity),
      lastAt: Math.max(row.lastAt, sum?.lastAt ?? 0),
      newestId: Math.max(newestId!, sum?.newestId ?? 0),
    });
  }
  const readNewest = db.$client.prepare<[number], Pick<RejectGroup, 'sample' | 'crawlId'>>(
    'select sample, crawl_id as crawlId from rejects where id = ?',
  );
  return [...alike.values()]
    .toSorted((a, b) => b.items - a.items)
    .map(({ newestId, ...group }) => ({ ...group, ...readNewest.get(newestId)! }));
}
