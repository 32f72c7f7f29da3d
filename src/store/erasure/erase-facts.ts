import type Database from 'better-sqlite3';
import { type Fact, FACT_TABLES, type FactTableName } from '../../ship/facts/fact-tables.ts';
import { ERASED_MARK } from './erased-mark.ts';
import type { IdentityMatcher } from './selection/matcher.ts';
import type { MentionsPolicy } from './tombstones.ts';

/**
 * What the columns of facts may hold of a person, as the inventory of tables says it.
 * - `account`, `handle`, `tweet`, `target`, `list`, `query`: the fact goes;
 * - `item`: the id becomes empty;
 * - `reply`: what a tweet answers becomes null, and its handle `(forgotten)`;
 * - `json`, `notes`: what names the accounts is replaced;
 * - `words`, `names`: the same in texts and JSON of others, with `redact` only.
 */
type FactUse =
  | 'account'
  | 'handle'
  | 'tweet'
  | 'target'
  | 'list'
  | 'query'
  | 'item'
  | 'reply'
  | 'json'
  | 'notes'
  | 'words'
  | 'names';

type Uses<Table extends FactTableName> = Partial<Record<keyof (typeof FACT_TABLES)[Table]['columns'], FactUse>>;

/** Unlisted columns are numbers, times, words of the interface, and pictures of accounts that go. */
const FACT_USES: { readonly [Table in FactTableName]: Uses<Table> } = {
  user_sightings: {
    ...{
      rest_id: 'account',
      screen_name: 'handle',
      name: 'words',
      description: 'words',
      location: 'words',
      url: 'words',
    },
  },
  tweet_sightings: {
    ...{ rest_id: 'tweet', author_rest_id: 'account', text: 'words', media: 'names', hashtags: 'names' },
    ...{ mentions: 'names', links: 'names', in_reply_to_status_rest_id: 'reply' },
    ...{ in_reply_to_user_rest_id: 'reply', in_reply_to_screen_name: 'reply' },
  },
  edge_sightings: { owner_rest_id: 'account', member_rest_id: 'account' },
  reply_sightings: { tweet_rest_id: 'tweet', reply_rest_id: 'tweet' },
  group_sightings: { name: 'words', description: 'words' },
  group_tweets: { tweet_rest_id: 'tweet' },
  search_hits: { query: 'query', tweet_rest_id: 'tweet' },
  list_snapshots: { owner_rest_id: 'account' },
  coverage_claims: { target: 'list', newest_rest_id: 'item', oldest_rest_id: 'item' },
  search_windows: { query: 'query' },
  list_rereads: { author_rest_id: 'account' },
  deletion_evidence: { tweet_rest_id: 'tweet' },
  steps: { outcome: 'json' },
  crawls: { target: 'target', handle: 'handle', target_rest_id: 'account', options: 'json', error: 'notes' },
  requests: { error: 'notes' },
  erasures: {},
  snapshots: {},
};

/** Removes the selected accounts from the facts that wait to be shipped, inside the caller's transaction. */
export function eraseFacts(client: Database.Database, matcher: IdentityMatcher, mentions: MentionsPolicy): void {
  const find = client.prepare<[number], { readonly id: number; readonly facts: string }>(
    'select id, facts from _ship_outbox where id > ? order by id limit 1',
  );
  const update = client.prepare<[string, number]>('update _ship_outbox set facts = ? where id = ?');
  const filter = createFactFilter(matcher, mentions);
  for (let entry = find.get(0); entry; entry = find.get(entry.id)) {
    if (!matcher.mayShow(entry.facts)) continue;
    const facts = JSON.parse(entry.facts) as Record<FactTableName, readonly Fact[]>;
    const kept = Object.entries(facts).map(([table, rows]) => [
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
