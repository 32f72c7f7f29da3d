import type Database from 'better-sqlite3';
import type { FactTableName, Facts } from '../outbox/fact-tables.ts';
import { createFactFilter, keyColumns } from './fact-filter.ts';
import type { IdentityMatcher } from './selection/name-matcher.ts';
import type { MentionsPolicy } from './tombstones.ts';

/** Removes the selected accounts from the facts that wait to be shipped, inside the caller's transaction. */
export function eraseFacts(client: Database.Database, matcher: IdentityMatcher, mentions: MentionsPolicy): void {
  const find = client.prepare<[number], { readonly id: number; readonly facts: string }>(
    'select id, facts from _ship_outbox where id > ? order by id limit 1',
  );
  const update = client.prepare<[string, number]>('update _ship_outbox set facts = ? where id = ?');
  const redact = (text: string): string => (matcher.isNamedIn(text) ? matcher.redact(text) : text);
  const filter = createFactFilter(
    {
      isId: matcher.isId,
      isHandle: matcher.isHandle,
      hides: {
        account: matcher.isId,
        tweet: matcher.isId,
        handle: matcher.isHandle,
        query: matcher.isNamedIn,
        target: (target, kind) => matcher.isTarget(kind, target),
        list: (target, kind) => matcher.isList(kind, target),
      },
      changes: {
        item: (id) => (matcher.isId(id) ? '' : id),
        json: matcher.scrubJson,
        notes: redact,
        ...(mentions === 'redact' && { words: redact, names: matcher.scrubJson }),
      },
    },
    keyColumns((_, place) => place),
  );
  for (let entry = find.get(0); entry; entry = find.get(entry.id)) {
    if (!matcher.mayShow(entry.facts)) continue;
    const kept = Object.entries(JSON.parse(entry.facts) as Facts).map(([table, rows]) => [
      table,
      rows.map((row) => filter(table as FactTableName, row)).filter((row) => row !== undefined),
    ]);
    update.run(JSON.stringify(Object.fromEntries(kept)), entry.id);
  }
}
