import { prepareHolders } from '#analysis/handle-holders.ts';
import { foldHandle } from '#base/text.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { JobHistoryEntry } from './job-history.ts';

/** An account of a job whose handle differs from the handle in the job. */
export interface JobRename {
  readonly handle: string;
  readonly id: string;
  readonly shown: string;
  /** The account that has the job's handle now; undefined if the store knows none. */
  readonly holder: string | undefined;
}

/** Prepares reading the renames among the accounts of the newest run of a job that has crawls. */
export function prepareRenames(db: Db): (history: readonly JobHistoryEntry[]) => JobRename[] {
  const accounts = db.$client.prepare<[number], { handle: string; id: string; shown: string }>(
    `select distinct crawls.handle, rest_id as id, screen_name as shown from crawls
     join users on rest_id = coalesce(target_rest_id, substr(target, 4))
     where run_id = ? and parent_id is null and handle is not null and kind <> 'search' and screen_name is not null`,
  );
  const readHolders = prepareHolders(db);
  return (history) => {
    const newest = history.find((entry) => entry.type === 'run' && entry.crawls > 0);
    if (newest?.type !== 'run') return [];
    return accounts.all(newest.id).flatMap((row) => {
      const { current } = readHolders(row.handle);
      const holder = current?.restId === row.id ? undefined : current?.restId;
      const isRenamed = foldHandle(row.shown) !== foldHandle(row.handle);
      return isRenamed || holder !== undefined ? [{ ...row, holder }] : [];
    });
  };
}
