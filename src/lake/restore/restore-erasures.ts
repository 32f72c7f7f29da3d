import { ERASURE_KEY } from '../../store/erasure/tombstones.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { NamedFact } from './read-shipped-entries.ts';

/** Prepares the restoring of erasures: whom the store has forgotten, by hashes. Hashes of one time and policy are one erasure. */
export function prepareErasures({ $client }: Db): { readonly add: (fact: NamedFact) => void } {
  const setKey = $client.prepare('insert into _settings (key, value) values (?, ?) on conflict do nothing');
  const find = $client
    .prepare<[number, string], number>('select id from _erasures where erased_at = ? and mentions = ?')
    .pluck();
  const insert = $client.prepare<[number, string]>(
    "insert into _erasures (erased_at, mentions, removed, finished_at) values (?, ?, '{}', null)",
  );
  const addHash = $client.prepare('insert into _tombstones (hash, erasure_id) values (?, ?) on conflict do nothing');
  return {
    add({ erased_at: at, key, hash, mentions }) {
      setKey.run(ERASURE_KEY, key);
      const erasure = [at as number, (mentions ?? 'keep') as string] as const;
      addHash.run(hash, find.get(...erasure) ?? insert.run(...erasure).lastInsertRowid);
    },
  };
}
