import type { ColumnUse } from '../schema/tables/columns.ts';
import { quoteName } from '../sqlite/quote-name.ts';
import { ERASED_MARK } from './erased-mark.ts';
import { INVENTORY } from './inventory.ts';
import type { MentionsPolicy } from './tombstones.ts';

/** The statements of an erasure, from the inventory of columns. */

/** A condition on a column; `redact`: with this policy only. */
interface Rule {
  readonly where: (column: string) => string;
  readonly set?: (column: string) => string;
  readonly policy?: MentionsPolicy;
}

const inSelection = (name: string) => (column: string) => `${column} in (select id from temp.erased_${name})`;
const call = (name: string) => (column: string) => `${name}(${column})`;

/** Rows that go. */
const ROW_RULES: Partial<Readonly<Record<ColumnUse, Rule>>> = {
  'user key': { where: inSelection('users') },
  'tweet key': { where: inSelection('tweets') },
  'search key': { where: inSelection('searches') },
  'crawl key': { where: inSelection('crawls') },
  'account id': { where: call('is_erased_id') },
  'account handle': { where: call('is_erased_handle') },
  'account target': { where: call('is_account_target') },
  'list target': { where: (column) => `is_erased_list(kind, ${column})` },
  query: { where: call('is_named_in') },
  mention: { where: call('is_erased_handle'), policy: 'redact' },
  link: { where: call('is_named_in'), policy: 'redact' },
};

/** Columns that change in the other rows. */
const COLUMN_RULES: Partial<Readonly<Record<ColumnUse, Rule>>> = {
  'item id': { where: call('is_erased_id'), set: () => "''" },
  'former handle': { where: call('is_erased_handle'), set: () => 'null' },
  notes: { where: call('is_named_in'), set: call('redact') },
  json: { where: (column) => `scrub_json(${column}) <> ${column}`, set: call('scrub_json') },
  words: { where: call('is_named_in'), set: call('redact'), policy: 'redact' },
};

export interface ErasureStatement {
  readonly table: string;
  /** The condition of the rows that it removes or changes. */
  readonly where: string;
  readonly sql: string;
}

const rulesOf = (table: string, rules: typeof ROW_RULES, mentions: MentionsPolicy): [column: string, rule: Rule][] =>
  Object.entries(INVENTORY[table]!).flatMap(([column, use]) => {
    const rule = rules[use];
    return rule && (rule.policy ?? mentions) === mentions ? [[quoteName(column), rule]] : [];
  });

/** Returns the statements that remove rows, one for each table that has such rows. */
export const listRemovals = (mentions: MentionsPolicy): ErasureStatement[] =>
  Object.keys(INVENTORY).flatMap((table) => {
    const rules = rulesOf(table, ROW_RULES, mentions);
    if (rules.length === 0) return [];
    const where = rules.map(([column, { where: condition }]) => condition(column)).join(' or ');
    return [{ table, where, sql: `delete from ${quoteName(table)} where ${where}` }];
  });

/** Replies of others to the accounts: that they are replies stays. They change before the removals. */
export const REPLY_CHANGES: readonly ErasureStatement[] = [
  { table: 'tweets', key: 'id' },
  { table: 'tweet_history', key: 'tweet_id' },
].map(({ table, key }) => {
  const isNamed = `is_erased_id(in_reply_to_user_rest_id) or is_erased_id(in_reply_to_status_rest_id)
    or (in_reply_to_user_rest_id is null and is_erased_handle(in_reply_to_screen_name))`;
  // Without these columns, only the position below the tweet shows that it is a reply.
  const isBelow = `coalesce(in_reply_to_status_rest_id, in_reply_to_user_rest_id, in_reply_to_screen_name) is null
    and id in (select reply_id from tweet_replies where tweet_id in (select id from temp.erased_tweets))`;
  const conditions = table === 'tweets' ? `${isNamed} or ${isBelow}` : isNamed;
  const where = `(${conditions}) and ${key} not in (select id from temp.erased_tweets)`;
  const set = `in_reply_to_status_rest_id = null, in_reply_to_user_rest_id = null, in_reply_to_screen_name = '${ERASED_MARK}'`;
  return { table, where, sql: `update ${table} set ${set} where ${where}` };
});

/** A step `_steps` whose bodies are not stored: they were not kept, were removed, or have expired. */
const LACKS_BODY = `response_roles <> ''
  and (first_raw_page_id is null or first_raw_page_id not in (select id from raw_pages))`;

/**
 * Samples of what pages sent. A sample does not say whose it is: those of erased pages go, and those of pages without a
 * stored body.
 */
const SAMPLES: readonly ErasureStatement[] = [
  {
    table: 'rejects',
    where: `raw_page_id is null or raw_page_id in (select id from temp.erased_pages)
      or raw_page_id not in (select id from raw_pages) or is_named_in(sample)`,
    set: `sample = '${ERASED_MARK}', raw_page_id = case when raw_page_id not in (select id from temp.erased_pages) then raw_page_id end`,
  },
  {
    table: '_dropped_fields',
    where: `is_named_in(sample) or crawl_id in (select crawl_id from _steps
      where id in (select id from temp.erased_steps) or ${LACKS_BODY})`,
    set: `sample = '"${ERASED_MARK}"'`,
  },
  {
    table: '_drift',
    where: `sample is not null and (is_named_in(sample)
      or endpoint in (select endpoint from raw_pages where id in (select id from temp.erased_pages))
      or exists (select 1 from _steps where ${LACKS_BODY}))`,
    set: `sample = '${ERASED_MARK}'`,
  },
].map(({ table, where, set }) => ({ table, where, sql: `update ${table} set ${set} where ${where}` }));

/** Returns the statements that change what is left, after the removals. */
export const listChanges = (mentions: MentionsPolicy): ErasureStatement[] => [
  ...SAMPLES,
  ...Object.keys(INVENTORY).flatMap((table) =>
    rulesOf(table, COLUMN_RULES, mentions).map(([column, { where, set }]) => ({
      table,
      where: where(column),
      sql: `update ${quoteName(table)} set ${column} = ${set!(column)} where ${where(column)}`,
    })),
  ),
];
