import type Database from 'better-sqlite3';
import { type Fact, FACT_TABLES, type FactTableName, type Facts } from '../../ship/facts/fact-tables.ts';
import { ERASED_MARK } from './erased-mark.ts';
import { FACT_USES, type FactUse } from './fact-uses.ts';
import type { IdentityMatcher } from './selection/matcher.ts';
import type { MentionsPolicy } from './tombstones.ts';

/** Removes the selected accounts from the facts that wait to be shipped, inside the caller's transaction. */
export function eraseFacts(client: Database.Database, matcher: IdentityMatcher, mentions: MentionsPolicy): void {
  const find = client.prepare<[number], { readonly id: number; readonly facts: string }>(
    'select id, facts from _ship_outbox where id > ? order by id limit 1',
  );
  const update = client.prepare<[string, number]>('update _ship_outbox set facts = ? where id = ?');
  const filter = createFactFilter(matcher, mentions);
  for (let entry = find.get(0); entry; entry = find.get(entry.id)) {
    if (!matcher.mayShow(entry.facts)) continue;
    const kept = Object.entries(JSON.parse(entry.facts) as Facts).map(([table, rows]) => [
      table,
      rows.flatMap((row) => filter(table as FactTableName, row) ?? []),
    ]);
    update.run(JSON.stringify(Object.fromEntries(kept)), entry.id);
  }
}

/** Returns a function that returns a fact without the accounts, in an array; undefined if the fact goes. */
function createFactFilter(matcher: IdentityMatcher, mentions: MentionsPolicy) {
  const isRedacted = mentions === 'redact';
  const redact = (text: string): string => (matcher.isNamedIn(text) ? matcher.redact(text) : text);
  const changes: Partial<Record<FactUse, (text: string) => string | null>> = {
    item: (id) => (matcher.isId(id) ? '' : id),
    json: matcher.scrubJson,
    notes: redact,
    words: (text) => (isRedacted ? redact(text) : text),
    names: (json) => (isRedacted ? matcher.scrubJson(json) : json),
  };
  const hides: Partial<Record<FactUse, (text: string, kind: string) => boolean>> = {
    account: matcher.isId,
    tweet: matcher.isId,
    handle: matcher.isHandle,
    query: matcher.isNamedIn,
    target: (target, kind) => matcher.isTarget(kind, target),
    list: (target, kind) => matcher.isList(kind, target),
  };

  return (table: FactTableName, row: Fact): [Fact] | undefined => {
    const columns = Object.keys(FACT_TABLES[table].columns);
    const uses = FACT_USES[table] as Readonly<Record<string, FactUse | undefined>>;
    const kind = String(row[columns.indexOf('kind')] ?? '');
    const result: Fact[number][] = [...row];
    let isReply = false;
    for (const [i, value] of row.entries()) {
      const column = columns[i]!;
      const use = uses[column];
      if (use === undefined || typeof value !== 'string') continue;
      if (hides[use]?.(value, kind)) return undefined;
      isReply ||=
        use === 'reply' && (column === 'in_reply_to_screen_name' ? matcher.isHandle(value) : matcher.isId(value));
      result[i] = (changes[use] ?? String)(value);
    }
    if (isReply)
      for (const [i, column] of columns.entries())
        if (uses[column] === 'reply') result[i] = column === 'in_reply_to_screen_name' ? ERASED_MARK : null;
    return [result];
  };
}
