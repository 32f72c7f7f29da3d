import type { TypedTarget } from '../kinds/target.ts';
import { openConnection } from '../store/sqlite/driver.ts';

/**
 * Targets in the order of their addition, each once. They are kept in a temporary database, which SQLite moves to disk
 * when it grows: a file may have millions.
 */
export interface TargetList extends Iterable<TypedTarget>, Disposable {
  readonly size: number;
  /** Adds a target, or replaces the spelling of its handle. */
  add(target: TypedTarget): void;
}

const ROWS_READ = 500;
const CACHE_KIB = 2048;

export function createTargetList(): TargetList {
  const db = openConnection('');
  db.pragma('journal_mode = off');
  db.pragma('synchronous = off');
  db.pragma(`cache_size = -${CACHE_KIB}`);
  db.exec('create table targets (id integer primary key, target text not null unique, handle text); begin');
  const insert = db.prepare<[string, string | null]>(
    'insert into targets (target, handle) values (?, ?) on conflict (target) do update set handle = excluded.handle',
  );
  const read = db.prepare<[number, number], { id: number; target: string; handle: string | null }>(
    'select id, target, handle from targets where id > ? order by id limit ?',
  );
  const count = db.prepare<[], number>('select count(*) from targets').pluck();
  return {
    get size() {
      return count.get()!;
    },
    add: ({ target, handle }) => void insert.run(target, handle ?? null),
    *[Symbol.iterator]() {
      for (let after = 0; ;) {
        const rows = read.all(after, ROWS_READ);
        for (const { target, handle } of rows) yield { target, handle: handle ?? undefined };
        if (rows.length < ROWS_READ) return;
        after = rows.at(-1)!.id;
      }
    },
    [Symbol.dispose]: () => void db.close(),
  };
}
