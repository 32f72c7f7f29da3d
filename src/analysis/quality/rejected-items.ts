import type { Db } from '../../store/sqlite/database.ts';

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
  readonly sample: string;
}

/** Unresolved rejects by endpoint, field and reason, the most common first. */
export function groupRejects({ $client }: Db): RejectGroup[] {
  const rows = $client
    .prepare<[], Omit<RejectGroup, 'field' | 'items'> & { readonly path: string; readonly items: number }>(
      `select r.endpoint, path, reason, count(*) as items, count(p.id) as readable, min(rejected_at) as firstAt, max(rejected_at) as lastAt, sample
       from rejects r left join raw_pages p on p.id = r.raw_page_id where resolved_at is null group by 1, 2, 3`,
    )
    .all();
  const alike = new Map<string, RejectGroup>();
  for (const { path, ...row } of rows) {
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
    });
  }
  return [...alike.values()].toSorted((a, b) => b.items - a.items);
}
