import { createHandleTarget } from '#service/kinds/target.ts';
import type { Db } from '#store/sqlite/database.ts';

/** Prepares listing the targets that crawls of an account may have: its id, its handle and its earlier handles, each once. */
export function prepareAccountTargets({ $client }: Db): (restId: string) => string[] {
  const findHandles = $client
    .prepare<[string, string], string>(
      `select screen_name from users where rest_id = ? and screen_name is not null
       union select h.screen_name from user_history h join users u on u.id = h.user_id
         where u.rest_id = ? and h.screen_name is not null`,
    )
    .pluck();
  return (restId) => [...new Set([`id:${restId}`, ...findHandles.all(restId, restId).map(createHandleTarget)])];
}
