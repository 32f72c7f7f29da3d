import type { Database } from 'better-sqlite3';

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

/**
 * Blocks of grants in the twin file. A block is counted as used at `until` until its times are written. Each twin writes
 * its own blocks and reads those of others, inside the caller's transaction.
 */
export function createGrantBlocks(client: Database, twin: string) {
  const nextVersion = client
    .prepare<[], number>("update facts set value = value + 1 where key = 'version' returning value")
    .pluck();
  const insert = client.prepare(
    `insert into blocks (key_id, twin, version, size, until, expires)
     values (:keyId, :twin, :version, :size, :until, :expires)`,
  );
  const update = client.prepare('update blocks set version = ?, size = ?, times = ?, expires = ? where id = ?');
  const selectNewer = client.prepare<[number, string], Row>(
    'select * from blocks where version > ? and twin <> ? order by version',
  );
  const deleteExpired = client.prepare('delete from blocks where expires <= ?');
  const dataVersion = client.prepare<[], number>('pragma data_version').pluck();
  const foreignBlocks = new Map<number, { keyId: number; times: readonly number[]; expires: number }>();
  let lastVersion = 0;
  let lastDataVersion = -1;

  return {
    /** Records a block as used and returns its id. */
    open: (block: { keyId: number; size: number; until: number; expires: number }): number =>
      Number(insert.run({ ...block, twin, version: nextVersion.get()! }).lastInsertRowid),
    /** Records the times of grants and releases the rest of the block. */
    settle: (id: number, times: readonly number[], expires: number): void =>
      void update.run(nextVersion.get()!, times.length, JSON.stringify(times), expires, id),
    /** Returns whether another process has written since `readForeignBlocks`. */
    hasForeignWrites: (): boolean => dataVersion.get()! !== lastDataVersion,
    /** Returns blocks that others wrote since the last call, with the times of their grants, oldest first. */
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
    /** Returns the times of grants by others, oldest first, as of `readForeignBlocks`. */
    foreignGrantTimes: (keyId: number): number[] =>
      [...foreignBlocks.values()]
        .flatMap((block) => (block.keyId === keyId ? block.times : []))
        .toSorted((a, b) => a - b),
    /** Deletes blocks outside of every window. */
    removeExpired(now: number): void {
      deleteExpired.run(now);
      for (const [id, { expires }] of foreignBlocks) if (expires <= now) foreignBlocks.delete(id);
    },
  };
}
