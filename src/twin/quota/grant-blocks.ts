import type { Database } from 'better-sqlite3';

/** A block of grants of a key, counted as used at `until` until their times are written. */
export interface GrantBlock {
  readonly keyId: number;
  readonly size: number;
  readonly until: number;
  readonly windowMs: number;
}

/** The blocks in the twin file. Each twin writes its own and reads those of others, inside the caller's transaction. */
export interface GrantBlocks {
  open(block: GrantBlock): number;
  /** Records the times of grants and releases the rest of the block. */
  settle(id: number, times: readonly number[], expires: number): void;
  /** Whether another process has written since `readForeignBlocks`. */
  hasForeignWrites(): boolean;
  /** Returns blocks that others wrote since the last call. */
  readForeignBlocks(): readonly ForeignBlock[];
  /** Times of grants by others, oldest first, as of `readForeignBlocks`. */
  foreignGrantTimes(keyId: number): number[];
  /** Deletes blocks outside of every window. */
  removeExpired(now: number): void;
}

export interface ForeignBlock {
  readonly keyId: number;
  /** Times of its grants, oldest first. */
  readonly times: readonly number[];
  readonly isNew: boolean;
}

interface Row {
  readonly id: number;
  readonly key_id: number;
  readonly version: number;
  readonly size: number;
  readonly until: number;
  readonly times: string | null;
  readonly expires: number;
}

const grantTimesOf = ({ size, until, times }: Row): number[] =>
  times === null ? Array<number>(size).fill(until) : (JSON.parse(times) as number[]);

interface KnownBlock {
  readonly keyId: number;
  readonly times: readonly number[];
  readonly expires: number;
}

export function createGrantBlocks(client: Database, twin: string): GrantBlocks {
  const nextVersion = client
    .prepare<[], number>("update facts set value = value + 1 where key = 'version' returning value")
    .pluck();
  const insert = client.prepare(
    'insert into blocks (key_id, twin, version, size, until, expires) values (?, ?, ?, ?, ?, ?)',
  );
  const update = client.prepare('update blocks set version = ?, size = ?, times = ?, expires = ? where id = ?');
  const selectNewer = client.prepare<[number, string], Row>(
    'select * from blocks where version > ? and twin <> ? order by version',
  );
  const deleteExpired = client.prepare('delete from blocks where expires <= ?');
  const dataVersion = client.prepare<[], number>('pragma data_version').pluck();
  const foreignBlocks = new Map<number, KnownBlock>();
  let lastVersion = 0;
  let lastDataVersion = -1;

  return {
    open: ({ keyId, size, until, windowMs }) =>
      Number(insert.run(keyId, twin, nextVersion.get()!, size, until, until + windowMs).lastInsertRowid),
    settle: (id, times, expires) =>
      void update.run(nextVersion.get()!, times.length, JSON.stringify(times), expires, id),
    hasForeignWrites: () => dataVersion.get()! !== lastDataVersion,
    readForeignBlocks() {
      lastDataVersion = dataVersion.get()!;
      const rows = selectNewer.all(lastVersion, twin);
      return rows.map((row) => {
        const { id, key_id: keyId, expires } = row;
        const isNew = !foreignBlocks.has(id);
        const times = grantTimesOf(row);
        lastVersion = Math.max(lastVersion, row.version);
        foreignBlocks.set(id, { keyId, times, expires });
        return { keyId, times, isNew };
      });
    },
    foreignGrantTimes: (keyId) =>
      [...foreignBlocks.values()]
        .flatMap((block) => (block.keyId === keyId ? block.times : []))
        .toSorted((a, b) => a - b),
    removeExpired(now) {
      deleteExpired.run(now);
      for (const [id, { expires }] of foreignBlocks) if (expires <= now) foreignBlocks.delete(id);
    },
  };
}
