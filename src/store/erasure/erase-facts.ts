import type Database from 'better-sqlite3';
import {
  type FactTableName,
  type Facts,
  type FactColumn,
  FACT_TABLES,
  type FactUse,
} from '#store/outbox/fact-tables.ts';
import { ERASED_MARK } from './erased-mark.ts';
import type { IdentityMatcher } from './selection/name-matcher.ts';
import type { MentionsPolicy } from './tombstones.ts';

/** Removes the selected accounts from the facts that wait to be shipped, inside the caller's transaction. */
export function eraseFacts(client: Database.Database, matcher: IdentityMatcher, mentions: MentionsPolicy): void {
  const find = client.prepare<[number], { readonly id: number; readonly facts: string }>(
    'select id, facts from _ship_outbox where id > ? order by id limit 1',
  );
  const update = client.prepare<[string, number]>('update _ship_outbox set facts = ? where id = ?');
  const erase = createFactEraser(matcher, mentions);
  for (let entry = find.get(0); entry; entry = find.get(entry.id)) {
    const facts = erase(entry.facts);
    if (facts !== entry.facts) update.run(facts, entry.id);
  }
}

/** Returns a function that removes the selected accounts from facts, as JSON by table. */
export function createFactEraser(matcher: IdentityMatcher, mentions: MentionsPolicy): (facts: string) => string {
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
  return (facts) => {
    if (!matcher.mayShow(facts)) return facts;
    const kept = Object.entries(JSON.parse(facts) as Facts).map(([table, rows]) => [
      table,
      rows.map((row) => filter(table as FactTableName, row)).filter((row) => row !== undefined),
    ]);
    return JSON.stringify(Object.fromEntries(kept));
  };
}

/** Reads a text of a fact; undefined if it has none. */
type TextOf = (column: string) => string | undefined;

/** What finds accounts in facts, and replaces what names them. */
interface FactRules {
  readonly isId: (id: string) => boolean;
  readonly isHandle: (handle: string) => boolean;
  /** Whether a fact goes, by the use of a column. */
  readonly hides: Partial<Record<FactUse, (text: string, kind: string, textOf: TextOf) => boolean>>;
  readonly changes: Partial<Record<FactUse, (text: string) => string>>;
  /** Whether a text of a list of texts goes. */
  readonly isMention?: (text: string) => boolean;
}

type KeyedColumns = Readonly<
  Record<string, ReadonlyMap<string, { readonly use: FactUse; readonly key: string | number }>>
>;

/**
 * Returns the columns by table, with their keys in facts: made once, since pages are filtered by them.
 * @param keyOf the key of a column: its place, or the name of a property of a row
 */
export const keyColumns = (keyOf: (column: string, place: number) => string | number): KeyedColumns =>
  Object.fromEntries(
    Object.entries(FACT_TABLES).map(([table, { columns }]) => [
      table,
      new Map(
        Object.entries<FactColumn>(columns).map(([name, use], place) => [
          name,
          { use: use as FactUse, key: keyOf(name, place) },
        ]),
      ),
    ]),
  );

/** Returns a function that returns a fact without the accounts: the fact itself if it names none, and undefined if it goes. */
export function createFactFilter({ isId, isHandle, hides, changes, isMention }: FactRules, tables: KeyedColumns) {
  /** The id decides: another account may have the handle now. */
  function isReplyToErased(textOf: TextOf): boolean {
    const status = textOf('in_reply_to_status_rest_id');
    if (status !== undefined && isId(status)) return true;
    const user = textOf('in_reply_to_user_rest_id');
    if (user !== undefined) return isId(user);
    const handle = textOf('in_reply_to_screen_name');
    return handle !== undefined && handle !== ERASED_MARK && isHandle(handle);
  }

  return <F extends object>(table: FactTableName, fact: F): F | undefined => {
    const columns = tables[table]!;
    const values = fact as Readonly<Record<string, unknown>>;
    const textOf: TextOf = (column) => {
      const value = values[columns.get(column)?.key ?? ''];
      return typeof value === 'string' ? value : undefined;
    };
    const kind = textOf('kind') ?? '';
    const isReply = isReplyToErased(textOf);
    const changed: [key: string | number, value: unknown][] = [];
    for (const [name, { use, key }] of columns) {
      const value = values[key];
      if (typeof value === 'string') {
        if (hides[use]?.(value, kind, textOf)) return undefined;
        const text = changes[use]?.(value) ?? value;
        if (text !== value) changed.push([key, text]);
      } else if (isMention && Array.isArray(value)) {
        const kept = value.filter((each) => typeof each !== 'string' || !isMention(each));
        if (kept.length < value.length) changed.push([key, kept]);
      }
      if (use === 'reply' && isReply) changed.push([key, name === 'in_reply_to_screen_name' ? ERASED_MARK : null]);
    }
    if (changed.length === 0) return fact;
    return Object.assign(Array.isArray(fact) ? [...fact] : { ...fact }, Object.fromEntries(changed)) as F;
  };
}
